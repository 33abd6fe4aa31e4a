use std::collections::BTreeMap;

use super::io::Route;

/// How many requests are open on each route. Most connections that have several routes have one at a time, and that
/// one takes no memory of its own.
#[derive(Debug, Default)]
pub(super) struct Routes {
    one: Option<(Route, usize)>,
    others: BTreeMap<Route, usize>,
}

impl Routes {
    pub(super) fn contains(&self, route: Route) -> bool {
        self.one.is_some_and(|(one, _)| one == route) || self.others.contains_key(&route)
    }

    /// Counts a request.
    pub(super) fn enter(&mut self, route: Route) {
        match &mut self.one {
            Some((one, count)) if *one == route => *count += 1,
            None if !self.others.contains_key(&route) => self.one = Some((route, 1)),
            _ => *self.others.entry(route).or_default() += 1,
        }
    }

    /// Counts a request no more.
    pub(super) fn leave(&mut self, route: Route) {
        if let Some((one, count)) = &mut self.one
            && *one == route
        {
            *count -= 1;
            if *count == 0 {
                self.one = None;
            }
        } else if let Some(count) = self.others.get_mut(&route) {
            *count -= 1;
            if *count == 0 {
                self.others.remove(&route);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_is_there_until_the_last_of_its_requests_has_left() {
        let mut routes = Routes::default();
        for route in [1, 2, 1, 2, 3] {
            routes.enter(Route(route));
        }
        // With the first one gone, the second still counts where it was counted.
        for (route, is_there) in [(1, true), (1, false), (2, true), (2, false)] {
            routes.leave(Route(route));
            assert_eq!(routes.contains(Route(route)), is_there, "{route}");
            routes.enter(Route(9));
            routes.leave(Route(9));
        }
        routes.enter(Route(3));
        routes.leave(Route(3));
        assert!(routes.contains(Route(3)));
        routes.leave(Route(3));
        assert!(!routes.contains(Route(3)) && !routes.contains(Route(9)));
        routes.leave(Route(9));
    }
}
