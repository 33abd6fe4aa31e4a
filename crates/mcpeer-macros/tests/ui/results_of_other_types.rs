struct Calculator;

#[mcpeer::server]
impl Calculator {
    #[tool]
    async fn add(&self, a: f64, b: f64) -> std::sync::Mutex<f64> {
        (a + b).into()
    }
}

fn main() {}
