struct Desk;
struct Opaque;

#[mcpeer::server]
impl Desk {
    #[prompt]
    fn greet(&self, name: String) -> u8 {
        name.len() as u8
    }

    #[resource("desk://version")]
    async fn version(&self) -> u8 {
        7
    }

    #[completion(prompt = "greet", argument = "name")]
    fn names(&self) -> String {
        String::new()
    }

    #[prompt]
    fn odd(&self, odd: Opaque) -> String {
        let _ = odd;
        String::new()
    }
}

fn main() {}
