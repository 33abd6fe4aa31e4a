struct Calculator;

#[mcpeer::server]
impl Calculator {
    #[tool]
    async fn add(&self, (a, b): (f64, f64)) -> String {
        (a + b).to_string()
    }
}

fn main() {}
