/// Things by their numbers: few of them, and no memory where there are none.
#[derive(Debug)]
pub(super) struct Numbered<T>(Vec<(u64, Box<T>)>);

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Numbered<T> {
    /// Adds a thing whose number is new.
    pub(super) fn insert(&mut self, number: u64, thing: T) {
        let at = self.0.partition_point(|(known, _)| *known < number);
        self.0.insert(at, (number, Box::new(thing)));
    }

    pub(super) fn get(&self, number: u64) -> Option<&T> {
        self.find(number).map(|at| &*self.0[at].1)
    }

    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        self.find(number).map(|at| &mut *self.0[at].1)
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<T> {
        let (_, thing) = self.find(number).map(|at| self.0.remove(at))?;
        self.shrink();
        Some(*thing)
    }

    pub(super) fn retain(&mut self, mut keeps: impl FnMut(&mut T) -> bool) {
        self.0.retain_mut(|(_, thing)| keeps(thing));
        self.shrink();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives all of them, the smallest number first.
    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.0.iter().map(|(_, thing)| &**thing)
    }

    pub(super) fn all_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> {
        self.0.iter_mut().map(|(_, thing)| &mut **thing)
    }

    fn find(&self, number: u64) -> Option<usize> {
        self.0.binary_search_by_key(&number, |(known, _)| *known).ok()
    }

    fn shrink(&mut self) {
        if self.0.is_empty() {
            self.0 = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Numbered;

    #[test]
    fn things_are_found_by_their_numbers_in_whatever_order_they_came() {
        let mut things = Numbered::default();
        for number in [5, 2, 9] {
            things.insert(number, number * 10);
        }
        assert_eq!(things.all().copied().collect::<Vec<_>>(), [20, 50, 90]);
        assert_eq!((things.get(5), things.get(6)), (Some(&50), None));
        assert_eq!((things.remove(5), things.remove(5)), (Some(50), None));
        things.retain(|thing| *thing > 20);
        assert_eq!(things.remove(9), Some(90));
        assert!(things.is_empty() && things.0.capacity() == 0);
    }
}
