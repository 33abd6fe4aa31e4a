struct Desk;

#[mcpeer::server]
impl Desk {
    #[prompt]
    fn greet(&self, name: String) -> String {
        name
    }

    #[completion]
    fn nothing(&self) -> [&'static str; 1] {
        ["a"]
    }

    #[completion(argument = "name")]
    fn of_nothing(&self) -> [&'static str; 1] {
        ["a"]
    }

    #[completion(prompt = "greet")]
    fn no_argument(&self) -> [&'static str; 1] {
        ["a"]
    }

    #[completion(prompt = "greet", resource = "desk://{section}", argument = "name")]
    fn both(&self) -> [&'static str; 1] {
        ["a"]
    }

    #[completion(resource = "desk://version", argument = "section")]
    fn no_variables(&self) -> [&'static str; 1] {
        ["a"]
    }

    #[completion(resource = "desk://{section}{?page}", argument = "sektion")]
    fn other_variable(&self) -> [&'static str; 1] {
        ["a"]
    }

    #[completion(prompt = "greet", argument = "name")]
    fn one(&self) -> [&'static str; 1] {
        ["a"]
    }

    #[completion(prompt = "greet", argument = "name")]
    fn other(&self) -> [&'static str; 1] {
        ["a"]
    }

    #[completion(prompt = "greet", argument = "name", title = "Names")]
    fn titled(&self) -> [&'static str; 1] {
        ["a"]
    }
}

fn main() {}
