struct Desk;

#[mcpeer::server]
impl Desk {
    #[resource]
    fn nowhere(&self) -> String {
        String::new()
    }

    #[resource(mime_type = "text/plain")]
    fn option_first(&self) -> String {
        String::new()
    }

    #[resource("version")]
    fn no_scheme(&self) -> String {
        String::new()
    }

    #[resource("desk://{section")]
    fn open(&self) -> String {
        String::new()
    }

    #[resource("desk://{section}", size = 7)]
    fn size_of_many(&self, section: String) -> String {
        section
    }

    #[resource("desk://a")]
    fn one(&self) -> String {
        String::new()
    }

    #[resource("desk://a")]
    fn other(&self) -> String {
        String::new()
    }
}

fn main() {}
