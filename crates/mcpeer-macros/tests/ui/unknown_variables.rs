struct Desk;

#[mcpeer::server]
impl Desk {
    #[resource("desk://{section}")]
    fn read(&self, sektion: String) -> String {
        sektion
    }

    #[resource("desk://version")]
    fn version(&self, section: String) -> String {
        section
    }

    #[completion(resource = "desk://{section}", argument = "section")]
    fn sections(&self, page: Option<String>) -> Vec<String> {
        Vec::from_iter(page)
    }
}

fn main() {}
