struct Calculator;

#[mcpeer::server(crate = "not a path")]
impl Calculator {
    #[tool]
    fn add(a: f64, b: f64) -> String {
        (a + b).to_string()
    }
}

fn main() {}
