//! Which type stands for which definition of the published schemas.

use std::fmt::Debug;

use mcpeer::{
    model::{
        Content, EmptyParams, EmptyResult, Icon, Implementation, Meta, Notification, RawJson, RawMap, RawObject,
        Request, ResultType, Token, cancellation, capabilities, completion, content, discover, elicitation, errors,
        initialize, input, legacy, logging, meta, pagination, ping, progress, prompts, resources, roots, sampling,
        subscriptions, tasks, tools,
    },
    rpc::{Limits, Message},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// A JSON value after it went through a type: written again, and how the type prints.
pub(crate) struct Passed {
    pub(crate) encoded: Value,
    pub(crate) debug: String,
}

pub(crate) type Pass = fn(&Value) -> Result<Passed, String>;

pub(crate) enum Stand {
    /// A type stands for it.
    Type(Pass),
    /// Nothing does, and this is why.
    Nothing(&'static str),
}

pub(crate) struct Row {
    pub(crate) definition: &'static str,
    /// The revisions that the row is for; empty, every one.
    versions: &'static [&'static str],
    pub(crate) stand: Stand,
}

/// Finds the row of a definition.
pub(crate) fn row(definition: &str, version: &str) -> Option<&'static Row> {
    let fits =
        |row: &&Row| row.definition == definition && (row.versions.is_empty() || row.versions.contains(&version));
    ROWS.iter().find(fits)
}

/// Passes a value through the type of its definition.
pub(crate) fn pass(definition: &str, version: &str, value: &Value) -> Result<Passed, String> {
    match row(definition, version).map(|row| &row.stand) {
        Some(Stand::Type(pass)) => pass(value),
        Some(Stand::Nothing(why)) => Err(format!("no type stands for {definition}: {why}")),
        None => Err(format!("{definition} of {version} is not in the table")),
    }
}

/// The definition of the result of a method.
pub(crate) const RESULTS: &[(&str, &str)] = &[
    ("completion/complete", "CompleteResult"),
    ("elicitation/create", "ElicitResult"),
    ("initialize", "InitializeResult"),
    ("logging/setLevel", "EmptyResult"),
    ("ping", "EmptyResult"),
    ("prompts/get", "GetPromptResult"),
    ("prompts/list", "ListPromptsResult"),
    ("resources/list", "ListResourcesResult"),
    ("resources/read", "ReadResourceResult"),
    ("resources/subscribe", "EmptyResult"),
    ("resources/templates/list", "ListResourceTemplatesResult"),
    ("resources/unsubscribe", "EmptyResult"),
    ("roots/list", "ListRootsResult"),
    ("sampling/createMessage", "CreateMessageResult"),
    ("server/discover", "DiscoverResult"),
    ("subscriptions/listen", "SubscriptionsListenResult"),
    ("tasks/cancel", "CancelTaskResult"),
    ("tasks/get", "GetTaskResult"),
    ("tasks/list", "ListTasksResult"),
    ("tasks/result", "GetTaskPayloadResult"),
    ("tools/call", "CallToolResult"),
    ("tools/list", "ListToolsResult"),
];

const LEGACY: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const MODERN: &[&str] = &["2026-07-28"];

const fn a(definition: &'static str, pass: Pass) -> Row {
    Row { definition, versions: &[], stand: Stand::Type(pass) }
}

const fn of(definition: &'static str, versions: &'static [&'static str], pass: Pass) -> Row {
    Row { definition, versions, stand: Stand::Type(pass) }
}

const fn no(definition: &'static str, why: &'static str) -> Row {
    Row { definition, versions: &[], stand: Stand::Nothing(why) }
}

const SHARED: &str = "a part that others share";
const UNION: &str = "any message; its method or what was asked tells its type";

static ROWS: &[Row] = &[
    no("Annotated", SHARED),
    a("Annotations", plain::<content::Annotations>),
    a("AudioContent", plain::<content::Audio>),
    no("BaseMetadata", SHARED),
    a("BlobResourceContents", plain::<resources::BlobContents>),
    a("BooleanSchema", plain::<elicitation::BooleanSchema>),
    no("CacheableResult", SHARED),
    a("CallToolRequest", request::<tools::Call>),
    a("CallToolRequestParams", plain::<tools::CallParams>),
    a("CallToolResult", plain::<tools::CallResult>),
    a("CallToolResultResponse", response::<tools::Call>),
    a("CancelTaskRequest", request::<tasks::Cancel>),
    a("CancelTaskResult", plain::<tasks::Task>),
    a("CancelledNotification", notification::<cancellation::Cancelled>),
    a("CancelledNotificationParams", plain::<cancellation::CancelledParams>),
    a("ClientCapabilities", plain::<capabilities::ClientCapabilities>),
    no("ClientNotification", UNION),
    no("ClientRequest", UNION),
    no("ClientResult", UNION),
    a("CompleteRequest", request::<completion::Complete>),
    a("CompleteRequestParams", plain::<completion::CompleteParams>),
    a("CompleteResult", plain::<completion::CompleteResult>),
    a("CompleteResultResponse", response::<completion::Complete>),
    a("ContentBlock", plain::<Content>),
    of("CreateMessageRequest", LEGACY, request::<sampling::Create>),
    of("CreateMessageRequest", MODERN, plain::<input::SamplingRequest>),
    a("CreateMessageRequestParams", plain::<sampling::CreateParams>),
    a("CreateMessageResult", plain::<sampling::CreateResult>),
    a("CreateTaskResult", plain::<tasks::CreateResult>),
    a("Cursor", plain::<String>),
    a("DiscoverRequest", request::<discover::Discover>),
    a("DiscoverResult", plain::<discover::DiscoverResult>),
    a("DiscoverResultResponse", response::<discover::Discover>),
    of("ElicitRequest", LEGACY, request::<elicitation::Create>),
    of("ElicitRequest", MODERN, plain::<input::ElicitationRequest>),
    a("ElicitRequestFormParams", plain::<elicitation::FormParams>),
    a("ElicitRequestParams", plain::<elicitation::CreateParams>),
    a("ElicitRequestURLParams", plain::<elicitation::UrlParams>),
    a("ElicitResult", plain::<elicitation::CreateResult>),
    a("ElicitationCompleteNotification", notification::<legacy::ElicitationComplete>),
    a("EmbeddedResource", plain::<content::EmbeddedResource>),
    a("EmptyResult", plain::<EmptyResult>),
    a("EnumSchema", plain::<elicitation::FieldSchema>),
    a("Error", error),
    a("GetPromptRequest", request::<prompts::Get>),
    a("GetPromptRequestParams", plain::<prompts::GetParams>),
    a("GetPromptResult", plain::<prompts::GetResult>),
    a("GetPromptResultResponse", response::<prompts::Get>),
    a("GetTaskPayloadRequest", request::<tasks::GetResult>),
    a("GetTaskPayloadResult", plain::<RawObject>),
    a("GetTaskRequest", request::<tasks::Get>),
    a("GetTaskResult", plain::<tasks::Task>),
    a("HeaderMismatchError", error_response::<RawJson>),
    a("Icon", plain::<Icon>),
    no("Icons", SHARED),
    a("ImageContent", plain::<content::Image>),
    a("Implementation", plain::<Implementation>),
    a("InitializeRequest", request::<initialize::Initialize>),
    a("InitializeRequestParams", plain::<initialize::InitializeParams>),
    a("InitializeResult", plain::<initialize::InitializeResult>),
    a("InitializedNotification", notification::<initialize::Initialized>),
    a("InputRequest", plain::<input::InputRequest>),
    a("InputRequests", plain::<input::InputRequests>),
    a("InputRequiredResult", plain::<input::InputRequired>),
    no("InputResponse", UNION),
    no("InputResponseRequestParams", SHARED),
    a("InputResponses", plain::<input::InputResponses>),
    a("InternalError", error),
    a("InvalidParamsError", error),
    a("InvalidRequestError", error),
    a("JSONArray", plain::<RawJson>),
    a("JSONObject", plain::<RawObject>),
    a("JSONRPCBatchRequest", message),
    a("JSONRPCBatchResponse", message),
    a("JSONRPCError", message),
    a("JSONRPCErrorResponse", message),
    a("JSONRPCMessage", message),
    a("JSONRPCNotification", message),
    a("JSONRPCRequest", message),
    a("JSONRPCResponse", message),
    a("JSONRPCResultResponse", message),
    a("JSONValue", plain::<RawJson>),
    a("LegacyTitledEnumSchema", plain::<elicitation::FieldSchema>),
    a("ListPromptsRequest", request::<prompts::List>),
    a("ListPromptsResult", plain::<prompts::ListResult>),
    a("ListPromptsResultResponse", response::<prompts::List>),
    a("ListResourceTemplatesRequest", request::<resources::ListTemplates>),
    a("ListResourceTemplatesResult", plain::<resources::ListTemplatesResult>),
    a("ListResourceTemplatesResultResponse", response::<resources::ListTemplates>),
    a("ListResourcesRequest", request::<resources::List>),
    a("ListResourcesResult", plain::<resources::ListResult>),
    a("ListResourcesResultResponse", response::<resources::List>),
    of("ListRootsRequest", LEGACY, request::<roots::List>),
    of("ListRootsRequest", MODERN, plain::<input::RootsRequest>),
    a("ListRootsResult", plain::<roots::ListResult>),
    a("ListTasksRequest", request::<tasks::List>),
    a("ListTasksResult", plain::<tasks::ListResult>),
    a("ListToolsRequest", request::<tools::List>),
    a("ListToolsResult", plain::<tools::ListResult>),
    a("ListToolsResultResponse", response::<tools::List>),
    a("LoggingLevel", plain::<logging::Level>),
    a("LoggingMessageNotification", notification::<logging::Message>),
    a("LoggingMessageNotificationParams", plain::<logging::MessageParams>),
    a("MetaObject", meta_object),
    a("MethodNotFoundError", error),
    a("MissingRequiredClientCapabilityError", error_response::<errors::MissingCapabilityData>),
    a("ModelHint", plain::<sampling::ModelHint>),
    a("ModelPreferences", plain::<sampling::ModelPreferences>),
    a("MultiSelectEnumSchema", plain::<elicitation::FieldSchema>),
    no("Notification", SHARED),
    a("NotificationMetaObject", meta_object),
    a("NotificationParams", plain::<EmptyParams>),
    a("NumberSchema", plain::<elicitation::NumberSchema>),
    no("PaginatedRequest", SHARED),
    a("PaginatedRequestParams", plain::<pagination::ListParams>),
    no("PaginatedResult", SHARED),
    a("ParseError", error),
    a("PingRequest", request::<ping::Ping>),
    a("PrimitiveSchemaDefinition", plain::<elicitation::FieldSchema>),
    a("ProgressNotification", notification::<progress::Progress>),
    a("ProgressNotificationParams", plain::<progress::ProgressParams>),
    a("ProgressToken", plain::<Token>),
    a("Prompt", plain::<prompts::Prompt>),
    a("PromptArgument", plain::<prompts::Argument>),
    a("PromptListChangedNotification", notification::<prompts::ListChanged>),
    a("PromptMessage", plain::<prompts::Message>),
    a("PromptReference", plain::<completion::PromptReference>),
    a("ReadResourceRequest", request::<resources::Read>),
    a("ReadResourceRequestParams", plain::<resources::ReadParams>),
    a("ReadResourceResult", plain::<resources::ReadResult>),
    a("ReadResourceResultResponse", response::<resources::Read>),
    a("RelatedTaskMetadata", plain::<tasks::RelatedTask>),
    no("Request", SHARED),
    a("RequestId", plain::<Token>),
    a("RequestMetaObject", meta_object),
    a("RequestParams", plain::<EmptyParams>),
    a("Resource", plain::<resources::Resource>),
    no("ResourceContents", SHARED),
    a("ResourceLink", plain::<content::ResourceLink>),
    a("ResourceListChangedNotification", notification::<resources::ListChanged>),
    a("ResourceReference", plain::<completion::ResourceReference>),
    no("ResourceRequestParams", SHARED),
    a("ResourceTemplate", plain::<resources::ResourceTemplate>),
    a("ResourceTemplateReference", plain::<completion::ResourceReference>),
    a("ResourceUpdatedNotification", notification::<resources::Updated>),
    a("ResourceUpdatedNotificationParams", plain::<resources::UpdatedParams>),
    a("Result", plain::<EmptyResult>),
    a("ResultMetaObject", meta_object),
    a("ResultType", plain::<ResultType>),
    a("Role", plain::<content::Role>),
    a("Root", plain::<roots::Root>),
    a("RootsListChangedNotification", notification::<legacy::RootsListChanged>),
    a("SamplingMessage", plain::<sampling::Message>),
    a("SamplingMessageContentBlock", plain::<sampling::Content>),
    a("ServerCapabilities", plain::<capabilities::ServerCapabilities>),
    no("ServerNotification", UNION),
    no("ServerRequest", UNION),
    no("ServerResult", UNION),
    a("SetLevelRequest", request::<legacy::SetLevel>),
    a("SetLevelRequestParams", plain::<legacy::SetLevelParams>),
    a("SingleSelectEnumSchema", plain::<elicitation::FieldSchema>),
    a("StringSchema", plain::<elicitation::StringSchema>),
    a("SubscribeRequest", request::<legacy::Subscribe>),
    a("SubscribeRequestParams", plain::<legacy::SubscribeParams>),
    a("SubscriptionFilter", plain::<subscriptions::Filter>),
    a("SubscriptionsAcknowledgedNotification", notification::<subscriptions::Acknowledged>),
    a("SubscriptionsAcknowledgedNotificationParams", plain::<subscriptions::AcknowledgedParams>),
    a("SubscriptionsListenRequest", request::<subscriptions::Listen>),
    a("SubscriptionsListenRequestParams", plain::<subscriptions::ListenParams>),
    a("SubscriptionsListenResult", plain::<subscriptions::ListenResult>),
    a("SubscriptionsListenResultMetaObject", meta_object),
    a("SubscriptionsListenResultResponse", response::<subscriptions::Listen>),
    a("Task", plain::<tasks::Task>),
    a("TaskAugmentedRequestParams", augmented),
    a("TaskMetadata", plain::<tasks::TaskMetadata>),
    a("TaskStatus", plain::<tasks::Status>),
    a("TaskStatusNotification", notification::<tasks::StatusChanged>),
    a("TaskStatusNotificationParams", plain::<tasks::Task>),
    a("TextContent", plain::<content::Text>),
    a("TextResourceContents", plain::<resources::TextContents>),
    a("TitledMultiSelectEnumSchema", plain::<elicitation::TitledMultiSelectSchema>),
    a("TitledSingleSelectEnumSchema", plain::<elicitation::TitledSelectSchema>),
    a("Tool", plain::<tools::Tool>),
    a("ToolAnnotations", plain::<tools::Annotations>),
    a("ToolChoice", plain::<sampling::ToolChoice>),
    a("ToolExecution", plain::<tasks::ToolExecution>),
    a("ToolListChangedNotification", notification::<tools::ListChanged>),
    a("ToolResultContent", plain::<sampling::ToolResult>),
    a("ToolUseContent", plain::<sampling::ToolUse>),
    a("URLElicitationRequiredError", error_response::<legacy::UrlElicitationRequiredData>),
    a("UnsubscribeRequest", request::<legacy::Unsubscribe>),
    a("UnsubscribeRequestParams", plain::<legacy::SubscribeParams>),
    a("UnsupportedProtocolVersionError", error_response::<errors::UnsupportedVersionData>),
    a("UntitledMultiSelectEnumSchema", plain::<elicitation::MultiSelectSchema>),
    a("UntitledSingleSelectEnumSchema", plain::<elicitation::SelectSchema>),
];

fn plain<T: Serialize + DeserializeOwned + Debug>(value: &Value) -> Result<Passed, String> {
    // Through text, as on the wire.
    let decoded: T = serde_json::from_str(&value.to_string()).map_err(|error| error.to_string())?;
    let encoded = serde_json::to_string(&decoded).map_err(|error| error.to_string())?;
    Ok(Passed { encoded: serde_json::from_str(&encoded).unwrap(), debug: format!("{decoded:?}") })
}

/// Replaces a member by what its type makes of it.
fn member<T>(value: &Value, name: &str) -> Result<Passed, String>
where
    T: Serialize + DeserializeOwned + Debug,
{
    let Some(member) = value.get(name) else { return Ok(Passed { encoded: value.clone(), debug: String::new() }) };
    let passed = plain::<T>(member)?;
    let mut encoded = value.clone();
    encoded[name] = passed.encoded;
    Ok(Passed { encoded, ..passed })
}

fn check_method(value: &Value, method: &str) -> Result<(), String> {
    if value["method"] == method { Ok(()) } else { Err(format!("`{method}` is asked for `{}`", value["method"])) }
}

/// What every request that may become a task shares.
fn augmented(value: &Value) -> Result<Passed, String> {
    member::<Meta>(&member::<tasks::TaskMetadata>(value, "task")?.encoded, "_meta")
}

fn request<R: Request<Params: Debug>>(value: &Value) -> Result<Passed, String> {
    check_method(value, R::METHOD)?;
    member::<R::Params>(value, "params")
}

fn notification<N: Notification<Params: Debug>>(value: &Value) -> Result<Passed, String> {
    check_method(value, N::METHOD)?;
    member::<N::Params>(value, "params")
}

fn response<R: Request<Result: Debug>>(value: &Value) -> Result<Passed, String> {
    if value["result"]["resultType"] == "input_required" {
        return member::<input::InputRequired>(value, "result");
    }
    member::<R::Result>(value, "result")
}

fn error_response<D: Serialize + DeserializeOwned + Debug>(value: &Value) -> Result<Passed, String> {
    let passed = member::<D>(&value["error"], "data")?;
    let mut encoded = message(value)?.encoded;
    encoded["error"] = passed.encoded;
    Ok(Passed { encoded, ..passed })
}

fn error(value: &Value) -> Result<Passed, String> {
    let passed = message(&json!({"jsonrpc": "2.0", "id": 1, "error": value}))?;
    Ok(Passed { encoded: passed.encoded["error"].clone(), ..passed })
}

fn message(value: &Value) -> Result<Passed, String> {
    let text = value.to_string();
    let message = Message::parse(text.as_bytes(), &Limits::default()).map_err(|error| error.to_string())?;
    let encoded = match &message {
        Message::Batch(elements) => {
            elements.iter().map(|element| parts(&Message::from_raw(*element).unwrap())).collect()
        }
        message => parts(message),
    };
    Ok(Passed { encoded, debug: String::new() })
}

fn parts(message: &Message<'_>) -> Value {
    let mut value = json!({"jsonrpc": "2.0"});
    let mut set = |name: &str, part: Value| value[name] = part;
    match message {
        Message::Request { id, method, params } => {
            set("id", json!(id));
            set("method", json!(method));
            params.iter().for_each(|params| set("params", params.decode().unwrap()));
        }
        Message::Notification { method, params } => {
            set("method", json!(method));
            params.iter().for_each(|params| set("params", params.decode().unwrap()));
        }
        Message::Response { id, result, error } => {
            id.iter().for_each(|id| set("id", json!(id)));
            result.iter().for_each(|result| set("result", result.decode().unwrap()));
            error.iter().for_each(|error| set("error", error.decode().unwrap()));
        }
        _ => panic!("no message: {message:?}"),
    }
    value
}

/// Passes the values whose keys the specification defines through their types.
fn meta_object(value: &Value) -> Result<Passed, String> {
    let mut passed = plain::<RawMap>(value)?;
    let keys: [(&str, Pass); 7] = [
        (meta::PROGRESS_TOKEN, plain::<Token>),
        (meta::PROTOCOL_VERSION, plain::<String>),
        (meta::CLIENT_INFO, plain::<Implementation>),
        (meta::CLIENT_CAPABILITIES, plain::<capabilities::ClientCapabilities>),
        (meta::LOG_LEVEL, plain::<logging::Level>),
        (meta::SUBSCRIPTION_ID, plain::<Token>),
        (meta::SERVER_INFO, plain::<Implementation>),
    ];
    for (key, pass) in keys {
        if let Some(value) = value.get(key) {
            let value = pass(value)?;
            passed.encoded[key] = value.encoded;
            passed.debug.push_str(&value.debug);
        }
    }
    Ok(passed)
}
