/** Lists that the driver keeps. */

/**
 * Adds an item to a list and gives its place. Not by `push`: other code of the process may have replaced it, and a hook's
 * answer would be lost.
 */
export function append<T>(list: T[], item: T): number {
  const place = list.length;
  list[place] = item;
  return place;
}
