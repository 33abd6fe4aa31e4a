struct Calculator;

#[mcpeer::server(title = "Calculator", prefix = "math")]
impl Calculator {
    #[tool(readonly)]
    fn add(a: f64, b: f64) -> String {
        (a + b).to_string()
    }

    #[tool(title = "Subtract", title = "Take away")]
    fn subtract(a: f64, b: f64) -> String {
        (a - b).to_string()
    }

    #[tool(title)]
    fn double(a: f64) -> String {
        (a * 2.0).to_string()
    }
}

fn main() {}
