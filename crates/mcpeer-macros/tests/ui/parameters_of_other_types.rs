struct Calculator;
struct Opaque;

#[mcpeer::server]
impl Calculator {
    #[tool]
    async fn add(&self, a: f64, b: Opaque) -> String {
        let _ = b;
        a.to_string()
    }
}

fn main() {}
