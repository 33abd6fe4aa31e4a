use serde::{Serialize, de::DeserializeOwned};

/// A method that is answered: its name, and the types of its params and of its result.
///
/// The types that implement it are never made; they stand for a method in the signatures of others.
///
/// ```
/// use mcpeer::model::{EmptyParams, EmptyResult, Request};
///
/// enum Tidy {}
///
/// impl Request for Tidy {
///     const METHOD: &'static str = "com.example/tidy";
///     type Params = EmptyParams;
///     type Result = EmptyResult;
/// }
/// assert_eq!(Tidy::METHOD, "com.example/tidy");
/// ```
pub trait Request {
    /// The name of the method.
    const METHOD: &'static str;
    /// What the request carries.
    type Params: Serialize + DeserializeOwned;
    /// What it is answered with.
    type Result: Serialize + DeserializeOwned;
}

/// A method that is not answered: its name, and the type of its params.
///
/// ```
/// use mcpeer::model::{EmptyParams, Notification};
///
/// enum Tidied {}
///
/// impl Notification for Tidied {
///     const METHOD: &'static str = "notifications/com.example/tidied";
///     type Params = EmptyParams;
/// }
/// assert_eq!(Tidied::METHOD, "notifications/com.example/tidied");
/// ```
pub trait Notification {
    /// The name of the method.
    const METHOD: &'static str;
    /// What the notification carries.
    type Params: Serialize + DeserializeOwned;
}
