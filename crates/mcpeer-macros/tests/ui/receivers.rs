struct Counter(u64);

#[mcpeer::server]
impl Counter {
    #[tool]
    fn count(&mut self) -> String {
        self.0 += 1;
        self.0.to_string()
    }

    #[tool]
    async fn end(self) {}

    #[tool]
    fn shared(self: std::sync::Arc<Self>) {}
}

fn main() {}
