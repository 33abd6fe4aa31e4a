//! One instance of each definition, made by our constructors. What a revision needs is in it; what a revision does not
//! know does not harm it.

use mcpeer::model::{
    Content, EmptyParams, EmptyResult, Icon, Implementation, Meta, Notification, RawJson, RawMap, RawObject, Request,
    Token, caching, cancellation, capabilities, completion, content, discover, elicitation, errors, initialize, input,
    legacy, logging, meta, pagination, ping, progress, prompts, resources, roots, sampling, subscriptions, tasks,
    tools,
};
use serde::Serialize;
use serde_json::{Value, json};

type Built = Vec<(&'static str, Value)>;

/// Makes the instances, each with the name of its definition.
pub(crate) fn built() -> Built {
    let mut built = Vec::new();
    basics(&mut built);
    contents(&mut built);
    tools(&mut built);
    resources(&mut built);
    prompts(&mut built);
    from_clients(&mut built);
    fields(&mut built);
    notifications(&mut built);
    stateful(&mut built);
    stateless(&mut built);
    built
}

fn value<T: Serialize>(of: &T) -> Value {
    serde_json::from_str(&serde_json::to_string(of).unwrap()).unwrap()
}

fn add<T: Serialize>(built: &mut Built, name: &'static str, of: &T) {
    built.push((name, value(of)));
}

fn add_request<R: Request>(built: &mut Built, name: &'static str, params: &R::Params) {
    built.push((name, json!({"jsonrpc": "2.0", "id": 1, "method": R::METHOD, "params": value(params)})));
}

fn add_notification<N: Notification>(built: &mut Built, name: &'static str, params: &N::Params) {
    built.push((name, json!({"jsonrpc": "2.0", "method": N::METHOD, "params": value(params)})));
}

fn add_response<T: Serialize>(built: &mut Built, name: &'static str, result: &T) {
    built.push((name, json!({"jsonrpc": "2.0", "id": 1, "result": value(result)})));
}

/// The envelope of the stateless era.
fn envelope() -> Meta {
    let mut envelope = Meta::new();
    envelope.insert(meta::PROTOCOL_VERSION, json!("2026-07-28"));
    envelope.insert(meta::CLIENT_CAPABILITIES, RawJson::from_value(&client()).unwrap());
    envelope.insert(meta::CLIENT_INFO, RawJson::from_value(&Implementation::new("me", "1.0.0")).unwrap());
    envelope.insert(meta::PROGRESS_TOKEN, json!(7));
    envelope
}

fn client() -> capabilities::ClientCapabilities {
    capabilities::ClientCapabilities::new()
        .roots(capabilities::Roots::new().list_changed(true))
        .sampling(capabilities::Sampling::new().tools(RawObject::default()).context(RawObject::default()))
        .elicitation(capabilities::Elicitation::new().form(RawObject::default()).url(RawObject::default()))
        .extensions([("com.example/tidy", RawObject::default())])
        .experimental([("fast", RawObject::default())])
        .tasks(tasks::Capability::new().requests(tasks::Requests::new().sampling([("createMessage", json!({}))])))
}

fn server() -> capabilities::ServerCapabilities {
    capabilities::ServerCapabilities::new()
        .tools(capabilities::ListChanged::new().list_changed(true))
        .resources(capabilities::Resources::new().subscribe(true).list_changed(false))
        .prompts(capabilities::ListChanged::new())
        .completions(RawObject::default())
        .logging(RawObject::default())
        .tasks(tasks::Capability::new().list(RawObject::default()).cancel(RawObject::default()))
}

fn icon() -> Icon {
    Icon::new("https://example.com/a.png").mime_type("image/png").sizes(["48x48".to_owned()]).theme("dark")
}

fn annotations() -> content::Annotations {
    content::Annotations::new().audience([content::Role::User]).priority(0.5).last_modified("2026-07-28T12:00:00Z")
}

fn ttl() -> caching::Ttl {
    caching::Ttl::from_millis(60_000)
}

fn basics(built: &mut Built) {
    let implementation = Implementation::new("hello", "1.0.0")
        .title("Hello")
        .description("Says hello")
        .website_url("https://example.com")
        .icons([icon()]);
    add(built, "Implementation", &implementation);
    add(built, "Icon", &icon());
    add(built, "Annotations", &annotations());
    add(built, "Role", &content::Role::Assistant);
    add(built, "ClientCapabilities", &client());
    add(built, "ServerCapabilities", &server());
    add(built, "Cursor", &"");
    add(built, "ProgressToken", &Token::from("a"));
    add(built, "RequestId", &Token::from(0));
    add(built, "LoggingLevel", &logging::Level::Alert);
    add(built, "MetaObject", &Meta::from([("com.example/a", json!([null]))]));
    add(built, "NotificationMetaObject", &Meta::from([(meta::SUBSCRIPTION_ID, json!("1"))]));
    add(built, "NotificationParams", &EmptyParams::new().meta([("com.example/a", json!(1))]));
    add(built, "RequestParams", &EmptyParams::new().meta(envelope()));
    add(built, "RequestMetaObject", &envelope());
    add(built, "PaginatedRequestParams", &pagination::ListParams::new().cursor("").meta(envelope()));
    let info = RawJson::from_value(&implementation).unwrap();
    add(built, "ResultMetaObject", &Meta::from([(meta::SERVER_INFO, info)]));
    for name in ["EmptyResult", "Result"] {
        add(built, name, &EmptyResult::new().result_type("complete"));
    }
    add(built, "ResultType", &mcpeer::model::ResultType::Complete);
    add(built, "JSONArray", &RawJson::parse("[1]").unwrap());
    add(built, "JSONObject", &RawObject::from([("a", 1)]));
    add(built, "JSONValue", &RawJson::parse("true").unwrap());
    json_rpc(built);
}

/// These go through the parser of messages and no type of ours writes them, so they are given.
fn json_rpc(built: &mut Built) {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": 1}});
    let notification = json!({"jsonrpc": "2.0", "method": "m"});
    let result = json!({"jsonrpc": "2.0", "id": 1, "result": value(&EmptyResult::new().result_type("complete"))});
    let error = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "broken", "data": [1]}});
    built.push(("Error", error["error"].clone()));
    for (name, code) in [
        ("ParseError", -32700),
        ("InvalidRequestError", -32600),
        ("MethodNotFoundError", -32601),
        ("InvalidParamsError", -32602),
        ("InternalError", -32603),
    ] {
        built.push((name, json!({"code": code, "message": "no"})));
    }
    let header = json!({"code": errors::HEADER_MISMATCH, "message": "no"});
    built.push(("HeaderMismatchError", json!({"jsonrpc": "2.0", "id": 1, "error": header})));
    built.push(("JSONRPCBatchRequest", json!([request, notification])));
    built.push(("JSONRPCBatchResponse", json!([result, error])));
    built.extend([("JSONRPCRequest", request.clone()), ("JSONRPCMessage", request)]);
    built.extend([("JSONRPCNotification", notification.clone()), ("JSONRPCMessage", notification)]);
    for name in ["JSONRPCResponse", "JSONRPCResultResponse", "JSONRPCMessage"] {
        built.push((name, result.clone()));
    }
    for name in ["JSONRPCError", "JSONRPCErrorResponse", "JSONRPCMessage"] {
        built.push((name, error.clone()));
    }
}

fn contents(built: &mut Built) {
    let meta = Meta::from([("com.example/a", json!(1))]);
    let text = content::Text::new("hello").annotations(annotations()).meta(meta.clone());
    let image = content::Image::new("AA==", "image/png").annotations(annotations()).meta(meta.clone());
    let audio = content::Audio::new("AA==", "audio/wav").annotations(annotations()).meta(meta.clone());
    let link = content::ResourceLink::new("file:///main.rs", "main.rs")
        .title("Main")
        .description("The start")
        .mime_type("text/x-rust")
        .size(12)
        .icons([icon()])
        .annotations(annotations())
        .meta(meta.clone());
    let contents = resources::TextContents::new("file:///a", "a").mime_type("text/plain").meta(meta.clone());
    let blob = resources::BlobContents::new("file:///a", "AA==").mime_type("image/png").meta(meta.clone());
    let embedded = content::EmbeddedResource::new(contents.clone()).annotations(annotations()).meta(meta.clone());
    let of_blob = content::EmbeddedResource::new(blob.clone());
    add(built, "TextContent", &text);
    add(built, "ImageContent", &image);
    add(built, "AudioContent", &audio);
    add(built, "ResourceLink", &link);
    add(built, "TextResourceContents", &contents);
    add(built, "BlobResourceContents", &blob);
    add(built, "EmbeddedResource", &embedded);
    add(built, "EmbeddedResource", &of_blob);
    let use_of_tool = sampling::ToolUse::new("1", "add", [("a", 1)]).meta(meta.clone());
    let result = sampling::ToolResult::new("1", [Content::text("3")])
        .structured_content(json!({"sum": 3}))
        .is_error(false)
        .meta(meta);
    add(built, "ToolUseContent", &use_of_tool);
    add(built, "ToolResultContent", &result);
    let blocks: [Content; 5] = [text.clone().into(), image.into(), audio.into(), link.into(), embedded.into()];
    for block in &blocks {
        add(built, "ContentBlock", block);
    }
    let blocks: [sampling::Content; 3] = [text.into(), use_of_tool.into(), result.into()];
    for block in &blocks {
        add(built, "SamplingMessageContentBlock", block);
    }
}

fn tool() -> tools::Tool {
    tools::Tool::new("add", [("type", json!("object")), ("properties", json!({"a": {"type": "number"}}))])
        .title("Add")
        .description("Adds")
        .output_schema(json!({"type": "object"}))
        .annotations(tools::Annotations::new().title("Add").read_only_hint(true))
        .icons([icon()])
        .execution(tasks::ToolExecution::new().task_support("optional"))
        .meta(Meta::new())
}

fn tools(built: &mut Built) {
    add(built, "Tool", &tool());
    let hints = tools::Annotations::new()
        .title("Add")
        .read_only_hint(true)
        .destructive_hint(false)
        .idempotent_hint(true)
        .open_world_hint(false);
    add(built, "ToolAnnotations", &hints);
    add(built, "ToolExecution", &tasks::ToolExecution::new().task_support("forbidden"));
    add_request::<tools::List>(built, "ListToolsRequest", &tools::ListParams::new().cursor("a").meta(envelope()));
    let list = tools::ListResult::new([tool()])
        .next_cursor("b")
        .ttl_ms(ttl())
        .cache_scope("public")
        .result_type("complete")
        .meta(Meta::new());
    add(built, "ListToolsResult", &list);
    add_response(built, "ListToolsResultResponse", &list);
    let call = tools::CallParams::new("add").arguments([("a", 1)]).meta(envelope());
    add(built, "CallToolRequestParams", &call);
    add_request::<tools::Call>(built, "CallToolRequest", &call);
    let results = [
        tools::CallResult::text("3"),
        tools::CallResult::error("no such city"),
        tools::CallResult::structured(&json!({"sum": 3})).unwrap().with(Content::image("AA==", "image/png")),
    ];
    for result in results {
        let result = result.result_type("complete");
        add(built, "CallToolResult", &result);
        add_response(built, "CallToolResultResponse", &result);
    }
}

fn resources(built: &mut Built) {
    let resource = resources::Resource::new("file:///main.rs", "main.rs")
        .title("Main")
        .description("The start")
        .mime_type("text/x-rust")
        .size(12)
        .icons([icon()])
        .annotations(annotations())
        .meta(Meta::new());
    let template = resources::ResourceTemplate::new("file:///{path}", "files")
        .title("Files")
        .description("All files")
        .mime_type("text/plain")
        .icons([icon()])
        .annotations(annotations())
        .meta(Meta::new());
    add(built, "Resource", &resource);
    add(built, "ResourceTemplate", &template);
    let params = resources::ListParams::new().meta(envelope());
    add_request::<resources::List>(built, "ListResourcesRequest", &params);
    add_request::<resources::ListTemplates>(built, "ListResourceTemplatesRequest", &params);
    let list = resources::ListResult::new([resource])
        .ttl_ms(ttl())
        .cache_scope("private")
        .result_type("complete")
        .next_cursor("");
    add(built, "ListResourcesResult", &list);
    add_response(built, "ListResourcesResultResponse", &list);
    let list = resources::ListTemplatesResult::new([template])
        .ttl_ms(ttl())
        .cache_scope("private")
        .result_type("complete")
        .next_cursor("");
    add(built, "ListResourceTemplatesResult", &list);
    add_response(built, "ListResourceTemplatesResultResponse", &list);
    let read = resources::ReadParams::new("file:///main.rs").request_state("s").meta(envelope());
    add(built, "ReadResourceRequestParams", &read);
    add_request::<resources::Read>(built, "ReadResourceRequest", &read);
    let contents = [
        resources::TextContents::new("file:///a", "a").into(),
        resources::BlobContents::new("file:///b", "AA==").into(),
    ];
    let result = resources::ReadResult::new(contents).ttl_ms(ttl()).cache_scope("public").result_type("complete");
    add(built, "ReadResourceResult", &result);
    add_response(built, "ReadResourceResultResponse", &result);
}

fn prompts(built: &mut Built) {
    let argument = prompts::Argument::new("code").title("Code").description("The code").required(true);
    let prompt = prompts::Prompt::new("review")
        .title("Review")
        .description("Reviews")
        .arguments([argument.clone()])
        .icons([icon()])
        .meta(Meta::new());
    add(built, "PromptArgument", &argument);
    add(built, "Prompt", &prompt);
    add_request::<prompts::List>(built, "ListPromptsRequest", &prompts::ListParams::new().meta(envelope()));
    let list = prompts::ListResult::new([prompt]).ttl_ms(ttl()).cache_scope("public").result_type("complete");
    add(built, "ListPromptsResult", &list);
    add_response(built, "ListPromptsResultResponse", &list);
    let get = prompts::GetParams::new("review").arguments([("code", "fn main() {}")]).meta(envelope());
    add(built, "GetPromptRequestParams", &get);
    add_request::<prompts::Get>(built, "GetPromptRequest", &get);
    let message = prompts::Message::user("Review this");
    add(built, "PromptMessage", &message);
    let messages = [message, prompts::Message::assistant("Gladly")];
    let result = prompts::GetResult::new(messages).description("Reviews").result_type("complete");
    add(built, "GetPromptResult", &result);
    add_response(built, "GetPromptResultResponse", &result);
    let reference = completion::PromptReference::new("review").title("Review");
    add(built, "PromptReference", &reference);
    let resource = completion::ResourceReference::new("file:///{path}");
    add(built, "ResourceReference", &resource);
    add(built, "ResourceTemplateReference", &resource);
    let argument = completion::Argument::new("code", "fn");
    let context = completion::Context::new().arguments([("owner", "me")]);
    let complete = completion::CompleteParams::new(reference, argument).context(context).meta(envelope());
    add(built, "CompleteRequestParams", &complete);
    add_request::<completion::Complete>(built, "CompleteRequest", &complete);
    let values = completion::Completion::first_of((0..200).map(|number| number.to_string()));
    let result = completion::CompleteResult::new(values).result_type("complete");
    add(built, "CompleteResult", &result);
    add_response(built, "CompleteResultResponse", &result);
}

/// What servers ask of clients, in both eras.
fn from_clients(built: &mut Built) {
    let hint = sampling::ModelHint::new().name("small");
    let preferences = sampling::ModelPreferences::new()
        .hints([hint.clone()])
        .cost_priority(0.1)
        .speed_priority(1)
        .intelligence_priority(0);
    add(built, "ModelHint", &hint);
    add(built, "ModelPreferences", &preferences);
    add(built, "ToolChoice", &sampling::ToolChoice::new().mode("required"));
    let message = sampling::Message::user("Hello").meta(Meta::new());
    add(built, "SamplingMessage", &message);
    let params = sampling::CreateParams::new([message, sampling::Message::assistant("Hi")], 100)
        .model_preferences(preferences)
        .system_prompt("Be brief")
        .include_context("none")
        .temperature(0.2)
        .stop_sequences(["END".to_owned()])
        .metadata(RawObject::default())
        .tools([tool()])
        .tool_choice(sampling::ToolChoice::new());
    add(built, "CreateMessageRequestParams", &params);
    add_request::<sampling::Create>(built, "CreateMessageRequest", &params);
    add(built, "InputRequest", &input::InputRequest::from(params));
    let result = sampling::CreateResult::new("assistant", "Hello", "small-1").stop_reason("endTurn");
    add(built, "CreateMessageResult", &result);
    add_request::<roots::List>(built, "ListRootsRequest", &EmptyParams::new());
    let root = roots::Root::new("file:///home/me").name("Home").meta(Meta::new());
    add(built, "Root", &root);
    add(built, "ListRootsResult", &roots::ListResult::new([root]));
    let form = elicitation::FormParams::new("Who?", form()).mode("form");
    add(built, "ElicitRequestFormParams", &form);
    add(built, "ElicitRequestParams", &elicitation::CreateParams::from(form.clone()));
    add_request::<elicitation::Create>(built, "ElicitRequest", &form.into());
    let url = elicitation::UrlParams::new("Sign in", "https://example.com/login").elicitation_id("1");
    add(built, "ElicitRequestURLParams", &url);
    add(built, "ElicitRequestParams", &elicitation::CreateParams::from(url));
    for result in [
        elicitation::CreateResult::accept([("name", json!("Ada")), ("age", json!(36)), ("old", json!(false))]),
        elicitation::CreateResult::decline(),
        elicitation::CreateResult::cancel(),
    ] {
        add(built, "ElicitResult", &result);
    }
}

fn form() -> elicitation::RequestedSchema {
    elicitation::RequestedSchema::new([
        ("name", elicitation::FieldSchema::from(elicitation::StringSchema::new().min_length(1))),
        ("age", elicitation::NumberSchema::new("integer").minimum(0).into()),
    ])
    .required(["name".to_owned()])
}

fn fields(built: &mut Built) {
    use elicitation::{
        BooleanSchema, Choice, Choices, FieldSchema, MultiSelectSchema, NamedSelectSchema, NumberSchema, SelectSchema,
        StringSchema, TitledMultiSelectSchema, TitledSelectSchema, Words,
    };

    let string = StringSchema::new()
        .title("Mail")
        .description("Yours")
        .min_length(3)
        .max_length(80)
        .format("email")
        .default("ada@example.com");
    let number = NumberSchema::new("number").title("Age").description("Yours").minimum(0).maximum(150.5).default(30);
    let boolean = BooleanSchema::new().title("Old").description("Are you?").default(false);
    let words = ["red".to_owned(), "green".to_owned()];
    let select = SelectSchema::new(words.clone()).title("Colour").description("Yours").default("red");
    let titled =
        TitledSelectSchema::new([Choice::new("red", "Red")]).title("Colour").description("Yours").default("red");
    let named =
        NamedSelectSchema::new(words.clone(), words.clone()).title("Colour").description("Yours").default("red");
    let multi = MultiSelectSchema::new(Words::new(words.clone()))
        .title("Colours")
        .description("Yours")
        .min_items(1)
        .max_items(2)
        .default(words.clone());
    let titled_multi = TitledMultiSelectSchema::new(Choices::new([Choice::new("red", "Red")]))
        .title("Colours")
        .description("Yours")
        .min_items(1)
        .max_items(2)
        .default(["red".to_owned()]);
    add(built, "StringSchema", &string);
    add(built, "NumberSchema", &number);
    add(built, "BooleanSchema", &boolean);
    add(built, "UntitledSingleSelectEnumSchema", &select);
    add(built, "TitledSingleSelectEnumSchema", &titled);
    add(built, "LegacyTitledEnumSchema", &named);
    add(built, "UntitledMultiSelectEnumSchema", &multi);
    add(built, "TitledMultiSelectEnumSchema", &titled_multi);
    add(built, "SingleSelectEnumSchema", &select);
    add(built, "SingleSelectEnumSchema", &titled);
    add(built, "MultiSelectEnumSchema", &multi);
    add(built, "MultiSelectEnumSchema", &titled_multi);
    add(built, "EnumSchema", &named);
    for field in [FieldSchema::from(string), number.into(), boolean.into(), select.into(), named.into()] {
        add(built, "PrimitiveSchemaDefinition", &field);
    }
}

fn notifications(built: &mut Built) {
    let cancelled = cancellation::CancelledParams::of(1).reason("gave up").meta(Meta::new());
    add(built, "CancelledNotificationParams", &cancelled);
    add_notification::<cancellation::Cancelled>(built, "CancelledNotification", &cancelled);
    let progress = progress::ProgressParams::new(1, 0.5).total(1).message("half").meta(Meta::new());
    add(built, "ProgressNotificationParams", &progress);
    add_notification::<progress::Progress>(built, "ProgressNotification", &progress);
    let log = logging::MessageParams::new("notice", json!({"a": null})).logger("database").meta(Meta::new());
    add(built, "LoggingMessageNotificationParams", &log);
    add_notification::<logging::Message>(built, "LoggingMessageNotification", &log);
    let updated = resources::UpdatedParams::new("file:///main.rs").meta(Meta::new());
    add(built, "ResourceUpdatedNotificationParams", &updated);
    add_notification::<resources::Updated>(built, "ResourceUpdatedNotification", &updated);
    let empty = EmptyParams::new();
    add_notification::<resources::ListChanged>(built, "ResourceListChangedNotification", &empty);
    add_notification::<tools::ListChanged>(built, "ToolListChangedNotification", &empty);
    add_notification::<prompts::ListChanged>(built, "PromptListChangedNotification", &empty);
}

/// What only the stateful era has.
fn stateful(built: &mut Built) {
    let params = initialize::InitializeParams::new("2025-11-25", client(), Implementation::new("me", "1.0.0"));
    add(built, "InitializeRequestParams", &params);
    add_request::<initialize::Initialize>(built, "InitializeRequest", &params);
    let result = initialize::InitializeResult::new("2025-11-25", server(), Implementation::new("hello", "1.0.0"));
    add(built, "InitializeResult", &result.instructions("Be kind"));
    add_notification::<initialize::Initialized>(built, "InitializedNotification", &EmptyParams::new());
    add_notification::<legacy::RootsListChanged>(built, "RootsListChangedNotification", &EmptyParams::new());
    add_request::<ping::Ping>(built, "PingRequest", &EmptyParams::new());
    let level = legacy::SetLevelParams::new("warning");
    add(built, "SetLevelRequestParams", &level);
    add_request::<legacy::SetLevel>(built, "SetLevelRequest", &level);
    let subscribe = legacy::SubscribeParams::new("file:///main.rs");
    add(built, "SubscribeRequestParams", &subscribe);
    add(built, "UnsubscribeRequestParams", &subscribe);
    add_request::<legacy::Subscribe>(built, "SubscribeRequest", &subscribe);
    add_request::<legacy::Unsubscribe>(built, "UnsubscribeRequest", &subscribe);
    let complete = legacy::ElicitationCompleteParams::new("1");
    add_notification::<legacy::ElicitationComplete>(built, "ElicitationCompleteNotification", &complete);
    let url = elicitation::UrlParams::new("Sign in", "https://example.com/login").elicitation_id("1");
    let data = legacy::UrlElicitationRequiredData::new([url]);
    let error = json!({"code": legacy::URL_ELICITATION_REQUIRED, "message": "sign in", "data": value(&data)});
    built.push(("URLElicitationRequiredError", json!({"jsonrpc": "2.0", "id": 1, "error": error})));
    let ask = tasks::TaskMetadata::new().ttl(60_000);
    add(built, "TaskMetadata", &ask);
    add(built, "TaskAugmentedRequestParams", &tools::CallParams::new("add").task(ask));
    let task = tasks::Task::new("1", "working", "2025-11-25T10:00:00Z", "2025-11-25T10:00:01Z", None)
        .status_message("Halfway")
        .poll_interval(5000);
    for name in ["Task", "GetTaskResult", "CancelTaskResult", "TaskStatusNotificationParams"] {
        add(built, name, &task);
    }
    add_notification::<tasks::StatusChanged>(built, "TaskStatusNotification", &task);
    add(built, "TaskStatus", &tasks::Status::InputRequired);
    add(built, "RelatedTaskMetadata", &tasks::RelatedTask::new("1"));
    add(built, "CreateTaskResult", &tasks::CreateResult::new(task.clone()));
    add(built, "ListTasksResult", &tasks::ListResult::new([task]).next_cursor("b"));
    let params = tasks::TaskParams::new("1");
    add_request::<tasks::Get>(built, "GetTaskRequest", &params);
    add_request::<tasks::GetResult>(built, "GetTaskPayloadRequest", &params);
    add_request::<tasks::Cancel>(built, "CancelTaskRequest", &params);
    add_request::<tasks::List>(built, "ListTasksRequest", &tasks::ListParams::new());
    add(built, "GetTaskPayloadResult", &RawObject::from_value(&tools::CallResult::text("3")).unwrap());
}

/// What only the stateless era has.
fn stateless(built: &mut Built) {
    add_request::<discover::Discover>(built, "DiscoverRequest", &EmptyParams::new().meta(envelope()));
    let result = discover::DiscoverResult::new(["2026-07-28".to_owned()], server())
        .instructions("Be kind")
        .ttl_ms(ttl())
        .cache_scope("public")
        .result_type("complete");
    add(built, "DiscoverResult", &result);
    add_response(built, "DiscoverResultResponse", &result);
    let filter = subscriptions::Filter::new()
        .tools_list_changed(true)
        .prompts_list_changed(false)
        .resources_list_changed(true)
        .resource_subscriptions(["file:///main.rs".to_owned()]);
    add(built, "SubscriptionFilter", &filter);
    let listen = subscriptions::ListenParams::new(filter.clone()).meta(envelope());
    add(built, "SubscriptionsListenRequestParams", &listen);
    add_request::<subscriptions::Listen>(built, "SubscriptionsListenRequest", &listen);
    let subscription = Meta::from([(meta::SUBSCRIPTION_ID, json!(1))]);
    add(built, "SubscriptionsListenResultMetaObject", &subscription);
    let acknowledged = subscriptions::AcknowledgedParams::new(filter).meta(subscription.clone());
    add(built, "SubscriptionsAcknowledgedNotificationParams", &acknowledged);
    let name = "SubscriptionsAcknowledgedNotification";
    add_notification::<subscriptions::Acknowledged>(built, name, &acknowledged);
    let result = subscriptions::ListenResult::new(subscription).result_type("complete");
    add(built, "SubscriptionsListenResult", &result);
    add_response(built, "SubscriptionsListenResultResponse", &result);
    let question = input::InputRequired::new()
        .ask("login", elicitation::UrlParams::new("Sign in", "https://example.com/login"))
        .ask("roots", input::RootsRequest::new())
        .request_state("s");
    add(built, "InputRequests", question.input_requests.as_ref().unwrap());
    add(built, "InputRequiredResult", &question);
    add_response(built, "CallToolResultResponse", &question);
    let answer = RawJson::from_value(&elicitation::CreateResult::cancel()).unwrap();
    let answers = RawMap::from([("login", answer)]);
    add(built, "InputResponses", &answers);
    let again = tools::CallParams::new("add").input_responses(answers).request_state("s").meta(envelope());
    add(built, "CallToolRequestParams", &again);
    let missing = errors::MissingCapabilityData::new(client());
    let error = json!({"code": errors::MISSING_CLIENT_CAPABILITY, "message": "no", "data": value(&missing)});
    built.push(("MissingRequiredClientCapabilityError", json!({"jsonrpc": "2.0", "id": 1, "error": error})));
    let unsupported = errors::UnsupportedVersionData::new(["2026-07-28".to_owned()], "2099-01-01");
    let error = json!({"code": errors::UNSUPPORTED_VERSION, "message": "no", "data": value(&unsupported)});
    built.push(("UnsupportedProtocolVersionError", json!({"jsonrpc": "2.0", "id": 1, "error": error})));
}
