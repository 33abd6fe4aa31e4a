//! The budgets. A new one is a row here, with the function that measures it.

use super::{Budget, dependencies, examples, shape};

/// Every budget.
pub(crate) const BUDGETS: &[Budget] = &[
    Budget { name: "direct dependencies of the core", limit: 2, measure: dependencies::direct_of_core },
    Budget { name: "crates under a server over stdio with macros", limit: 50, measure: dependencies::under_a_server },
    Budget { name: "lines of a server with one tool, by the macro", limit: 14, measure: examples::with_macro },
    Budget { name: "lines of a server with one tool, by the builder", limit: 18, measure: examples::without_macro },
    Budget { name: "lines of the longest example", limit: 80, measure: examples::longest },
    Budget { name: "lines of a transport of one's own", limit: 60, measure: examples::transport },
    Budget { name: "lines of the longest file", limit: 800, measure: shape::longest_file },
    Budget { name: "lines of the longest function", limit: 60, measure: shape::longest_function },
    Budget { name: "lines of the longest handler of the state machine", limit: 100, measure: shape::longest_handler },
    Budget { name: "imports that the layers forbid", limit: 0, measure: shape::forbidden_imports },
    Budget {
        name: "features asked for by other items than modules",
        limit: 0,
        measure: shape::features_beside_modules,
    },
    Budget { name: "tests that are switched off", limit: 0, measure: shape::ignored_tests },
    Budget { name: "allocations to read a small tools/call", limit: 6, measure: dependencies::allocations },
];
