struct Calculator;

#[mcpeer::server]
impl Clone for Calculator {
    fn clone(&self) -> Self {
        Self
    }
}

fn main() {}
