//! What the compiler tells of mistakes, and where.

#[test]
fn mistakes_are_told_of_where_they_are_made() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
