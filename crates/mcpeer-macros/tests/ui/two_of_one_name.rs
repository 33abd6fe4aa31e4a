struct Calculator;

#[mcpeer::server]
impl Calculator {
    #[tool]
    fn add(a: f64, b: f64) -> String {
        (a + b).to_string()
    }

    #[tool(name = "add")]
    fn plus(a: f64, b: f64) -> String {
        (a + b).to_string()
    }

    #[prompt]
    fn talk(about: String) -> String {
        about
    }

    #[prompt(name = "talk")]
    fn speak(about: String) -> String {
        about
    }

    #[tool]
    #[prompt]
    fn twice(a: f64) -> String {
        (a + a).to_string()
    }
}

fn main() {}
