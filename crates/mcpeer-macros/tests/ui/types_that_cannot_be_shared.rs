struct Counter(std::cell::Cell<u64>);

#[mcpeer::server]
impl Counter {
    #[tool]
    fn count(&self) -> String {
        self.0.update(|count| count + 1);
        self.0.get().to_string()
    }
}

fn main() {}
