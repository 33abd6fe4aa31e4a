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

    #[prompt(read_only)]
    fn ask(a: f64) -> String {
        (a * 2.0).to_string()
    }

    #[resource("a://b", mimetype = "text/plain")]
    fn read() -> String {
        String::new()
    }
}

fn main() {}
