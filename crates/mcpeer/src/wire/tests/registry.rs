use std::borrow::Cow;

use crate::{
    version::Revision,
    wire::{
        Direction::{self, Both, ToClient, ToServer},
        ExtensionRows,
        Kind::{self, InputRequest, Notification, Request},
        Lookup, Registry, ResultType, Row,
        registry::{ROWS, is_input_request},
    },
};

const OLDEST_FIRST: [Revision; 5] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28];

/// Method, kind, and who receives it at each revision from the oldest on: s(erver), c(lient), b(oth), - nobody.
const TABLE: &[(&str, Kind, &str)] = &[
    ("initialize", Request, "ssss-"),
    ("ping", Request, "bbbb-"),
    ("server/discover", Request, "----s"),
    ("tools/list", Request, "sssss"),
    ("tools/call", Request, "sssss"),
    ("prompts/list", Request, "sssss"),
    ("prompts/get", Request, "sssss"),
    ("resources/list", Request, "sssss"),
    ("resources/templates/list", Request, "sssss"),
    ("resources/read", Request, "sssss"),
    ("resources/subscribe", Request, "ssss-"),
    ("resources/unsubscribe", Request, "ssss-"),
    ("completion/complete", Request, "sssss"),
    ("logging/setLevel", Request, "ssss-"),
    ("subscriptions/listen", Request, "----s"),
    ("sampling/createMessage", Request, "cccc-"),
    ("sampling/createMessage", InputRequest, "----c"),
    ("roots/list", Request, "cccc-"),
    ("roots/list", InputRequest, "----c"),
    ("elicitation/create", Request, "--cc-"),
    ("elicitation/create", InputRequest, "----c"),
    ("tasks/get", Request, "---b-"),
    ("tasks/cancel", Request, "---b-"),
    ("tasks/result", Request, "---b-"),
    ("tasks/list", Request, "---b-"),
    ("notifications/initialized", Notification, "ssss-"),
    ("notifications/cancelled", Notification, "bbbbb"),
    ("notifications/progress", Notification, "bbbbc"),
    ("notifications/message", Notification, "ccccc"),
    ("notifications/tools/list_changed", Notification, "ccccc"),
    ("notifications/prompts/list_changed", Notification, "ccccc"),
    ("notifications/resources/list_changed", Notification, "ccccc"),
    ("notifications/resources/updated", Notification, "ccccc"),
    ("notifications/subscriptions/acknowledged", Notification, "----c"),
    ("notifications/roots/list_changed", Notification, "ssss-"),
    ("notifications/elicitation/complete", Notification, "---c-"),
    ("notifications/tasks/status", Notification, "---b-"),
];

#[test]
fn each_method_is_in_use_where_the_specification_has_it() {
    let registry = Registry::default();
    for (method, kind, places) in TABLE {
        for (revision, place) in OLDEST_FIRST.into_iter().zip(places.chars()) {
            for to_server in [true, false] {
                let expected = match place {
                    's' => to_server,
                    'c' => !to_server,
                    'b' => true,
                    _ => false,
                };
                let found = registry.find(method, *kind, revision, to_server);
                let is_here = matches!(found, Lookup::Here(row) if row.method == *method && row.kind == *kind);
                assert_eq!(is_here, expected, "{method} as {kind:?} at {revision}, to the server: {to_server}");
                assert!(is_here || found == Lookup::Elsewhere, "{method} is known");
            }
        }
    }
}

#[test]
fn there_are_no_other_methods() {
    for row in &ROWS {
        let is_listed = TABLE.iter().any(|(method, kind, _)| row.method == *method && row.kind == *kind);
        assert!(is_listed, "{}", row.method);
    }
}

#[test]
fn methods_outside_the_specification_are_the_users_own() {
    let registry = Registry::default();
    for method in ["acme/do", "tasks/update", "notifications/acme", "", "TOOLS/CALL", "tools/call "] {
        for kind in [Request, Notification] {
            assert_eq!(registry.find(method, kind, Revision::V2026_07_28, true), Lookup::Custom, "{method}");
        }
    }
}

#[test]
fn a_method_of_another_kind_or_direction_is_known_but_not_in_use() {
    let registry = Registry::default();
    let newest_legacy = Revision::V2025_11_25;
    for (method, kind, to_server) in [
        ("tools/call", Notification, true),
        ("tools/call", Request, false),
        ("notifications/message", Request, false),
        ("roots/list", Request, true),
    ] {
        assert_eq!(registry.find(method, kind, newest_legacy, to_server), Lookup::Elsewhere, "{method}");
    }
}

#[test]
fn six_results_are_cacheable_and_three_methods_may_need_input() {
    let of = |has: fn(&Row) -> bool| {
        let mut methods: Vec<_> = ROWS.iter().filter(|row| has(row)).map(|row| row.method).collect();
        methods.sort_unstable();
        methods
    };
    assert_eq!(
        of(|row| row.is_cacheable),
        [
            "prompts/list",
            "resources/list",
            "resources/read",
            "resources/templates/list",
            "server/discover",
            "tools/list"
        ]
    );
    assert_eq!(of(|row| row.may_need_input), ["prompts/get", "resources/read", "tools/call"]);
    let registry = Registry::default();
    assert!(registry.may_need_input("tools/call"));
    assert!(!registry.may_need_input("tasks/update"));
}

#[test]
fn input_requests_are_three() {
    for method in ["elicitation/create", "sampling/createMessage", "roots/list"] {
        assert!(is_input_request(method), "{method}");
    }
    for method in ["tools/call", "ping", "acme/ask"] {
        assert!(!is_input_request(method), "{method}");
    }
}

fn tasks() -> ExtensionRows {
    let row = |method, direction: Direction| Row::request(method, direction, Revision::V2026_07_28, None);
    ExtensionRows {
        identifier: Cow::Borrowed("io.modelcontextprotocol/tasks"),
        rows: Cow::Owned(vec![row("tasks/get", ToServer), row("tasks/update", ToServer), row("acme/x", ToClient)]),
        result_types: Cow::Borrowed(&[ResultType { value: "task", methods: &["tools/call"] }]),
    }
}

#[test]
fn an_enabled_extension_adds_methods_and_may_reuse_names_of_another_era() {
    let registry = Registry::new(&[tasks()]);
    let modern = Revision::V2026_07_28;
    let legacy = Revision::V2025_11_25;
    assert!(
        matches!(registry.find("tasks/get", Request, modern, true), Lookup::Here(row) if row.direction == ToServer)
    );
    assert!(matches!(registry.find("tasks/get", Request, legacy, true), Lookup::Here(row) if row.direction == Both));
    assert!(matches!(registry.find("tasks/update", Request, modern, true), Lookup::Here(_)));
    assert_eq!(registry.find("tasks/update", Request, legacy, true), Lookup::Elsewhere);
    assert_eq!(registry.find("tasks/result", Request, modern, true), Lookup::Elsewhere);
    assert_eq!(registry.find("acme/x", Request, modern, true), Lookup::Elsewhere);
}

#[test]
fn result_types_of_extensions_answer_only_their_methods() {
    let registry = Registry::new(&[tasks()]);
    assert!(registry.has_result_type("tools/call", "task"));
    assert!(!registry.has_result_type("prompts/get", "task"));
    assert!(!registry.has_result_type("tools/call", "job"));
    assert!(!Registry::default().has_result_type("tools/call", "task"));
}
