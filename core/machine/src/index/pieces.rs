//! An ordered list in pieces, of which a copy shares those that did not change.

use std::sync::Arc;

use crate::entry::Place;

/// The most items of a piece. Its patterns make one set: a larger one overflows the automaton's cache and becomes slower
/// than none.
const PIECE: usize = 64;

/// What has a place in a list.
pub(super) trait Placed: Clone {
    /// Where it stands.
    fn place(&self) -> Place;
}

/// What is made of the items of a piece.
pub(super) trait Made: Default {
    /// What is known when the items have changed.
    fn after_change(&self) -> Self;
}

impl Made for () {
    fn after_change(&self) -> Self {}
}

/// Neighbours of a list, at most [`PIECE`], and what was made of them.
#[derive(Debug)]
pub(super) struct Piece<V, M> {
    items: Vec<V>,
    made: M,
}

impl<V: Placed, M> Piece<V, M> {
    /// The items, in order.
    pub(super) fn items(&self) -> &[V] {
        &self.items
    }

    /// What was made of them.
    pub(super) const fn made(&self) -> &M {
        &self.made
    }

    /// The item at a place.
    pub(super) fn get(&self, place: Place) -> Option<&V> {
        self.items.binary_search_by_key(&place, V::place).ok().and_then(|at| self.items.get(at))
    }

    fn begins_by(&self, place: Place) -> bool {
        self.items.first().is_some_and(|first| first.place() <= place)
    }
}

/// An ordered list.
#[derive(Debug)]
pub(super) struct Pieces<V, M = ()> {
    pieces: Vec<Arc<Piece<V, M>>>,
}

impl<V, M> Default for Pieces<V, M> {
    fn default() -> Self {
        Self { pieces: Vec::new() }
    }
}

impl<V, M> Clone for Pieces<V, M> {
    fn clone(&self) -> Self {
        Self { pieces: self.pieces.clone() }
    }
}

impl<V, M> Pieces<V, M> {
    pub(super) const fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(super) fn pieces(&self) -> impl Iterator<Item = &Piece<V, M>> {
        self.pieces.iter().map(|piece| &**piece)
    }

    /// Every item, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &V> {
        self.pieces.iter().flat_map(|piece| &piece.items)
    }
}

impl<V: Placed, M: Made> Pieces<V, M> {
    /// The item at a place.
    pub(super) fn get(&self, place: Place) -> Option<&V> {
        self.pieces.get(self.piece_of(place)).and_then(|piece| piece.get(place))
    }

    /// The last piece that begins at a place or before it, or the first one.
    fn piece_of(&self, place: Place) -> usize {
        self.pieces.partition_point(|piece| piece.begins_by(place)).saturating_sub(1)
    }

    /// Adds an item at its place, which is free.
    pub(super) fn insert(&mut self, item: V) {
        let place = item.place();
        let at = self.piece_of(place);
        let is_behind_all = |piece: &Piece<V, M>| piece.items.last().is_some_and(|last| last.place() < place);
        match self.pieces.get(at) {
            Some(piece) if piece.items.len() < PIECE || at + 1 < self.pieces.len() || !is_behind_all(piece) => {
                self.edit(at, |items| items.insert(items.partition_point(|item| item.place() < place), item));
                self.split(at);
            }
            // Behind a full one: hooks that come one after another make full pieces.
            _ => self.pieces.push(Arc::new(Piece { items: vec![item], made: M::default() })),
        }
    }

    /// Takes out the item at a place.
    pub(super) fn remove(&mut self, place: Place) -> Option<V> {
        let at = self.piece_of(place);
        let item = self.pieces.get(at)?.get(place)?.clone();
        self.edit(at, |items| items.retain(|item| item.place() != place));
        let length = |at: usize| self.pieces.get(at).map_or(PIECE, |piece| piece.items.len());
        if length(at) == 0 {
            self.pieces.remove(at);
        } else if length(at) + length(at + 1) <= PIECE / 2 {
            let next = self.pieces.remove(at + 1);
            self.edit(at, |items| items.extend(next.items.iter().cloned()));
        }
        Some(item)
    }

    /// Changes the items of a piece, in a copy if another list has it too.
    fn edit(&mut self, at: usize, change: impl FnOnce(&mut Vec<V>)) {
        let Some(shared) = self.pieces.get_mut(at) else { return };
        if let Some(piece) = Arc::get_mut(shared) {
            change(&mut piece.items);
            piece.made = piece.made.after_change();
        } else {
            let mut items = shared.items.clone();
            change(&mut items);
            *shared = Arc::new(Piece { items, made: shared.made.after_change() });
        }
    }

    /// Makes two pieces of one that is too long.
    fn split(&mut self, at: usize) {
        let Some(piece) = self.pieces.get(at).filter(|piece| piece.items.len() > PIECE) else { return };
        let made = piece.made.after_change();
        let mut behind = Vec::new();
        self.edit(at, |items| behind = items.split_off(items.len() / 2));
        self.pieces.insert(at + 1, Arc::new(Piece { items: behind, made }));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hook_id::HookId;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct Item(u64);

    impl Placed for Item {
        fn place(&self) -> Place {
            Place::numbered(HookId::new(self.0))
        }
    }

    fn numbers(list: &Pieces<Item>) -> Vec<u64> {
        list.iter().map(|item| item.0).collect()
    }

    #[test]
    fn a_copy_shares_all_pieces_but_the_one_that_changed() {
        let mut list = Pieces::<Item>::default();
        (0..1000).for_each(|number| list.insert(Item(number * 2)));
        assert_eq!(list.pieces.len(), 1000_usize.div_ceil(PIECE));
        let before = list.clone();
        list.insert(Item(777));
        let shared = list.pieces.iter().filter(|piece| before.pieces.iter().any(|old| Arc::ptr_eq(old, piece)));
        assert_eq!(shared.count(), before.pieces.len() - 1);
        assert!(numbers(&list).contains(&777) && !numbers(&before).contains(&777));
    }

    proptest! {
        #[test]
        fn it_is_a_sorted_list(changes in proptest::collection::vec((0_u64..300, any::<bool>()), 0..1500)) {
            let (mut list, mut model) = (Pieces::<Item>::default(), std::collections::BTreeSet::new());
            for (number, comes) in changes {
                if comes && model.insert(number) {
                    list.insert(Item(number));
                } else if !comes {
                    prop_assert_eq!(list.remove(Item(number).place()).is_some(), model.remove(&number));
                }
                prop_assert_eq!(list.get(Item(number).place()).is_some(), model.contains(&number));
            }
            prop_assert_eq!(numbers(&list), model.into_iter().collect::<Vec<_>>());
            prop_assert!(list.pieces().all(|piece| (1..=PIECE).contains(&piece.items().len())));
        }
    }
}
