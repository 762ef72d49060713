/** What an agent makes impossible, with the reason. A test of these fails as soon as it is possible. */
export const IMPOSSIBLE = {};
