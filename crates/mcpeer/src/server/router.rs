use super::{connections::Connections, tools::Tools};
use crate::{
    handler::{Context, Request, Run, Service},
    proto::io::Reply,
    rpc::{self, Raw},
};

/// Finds what answers a method.
pub(super) struct Router {
    pub(super) tools: Tools,
    pub(super) connections: Connections,
}

impl Service for Router {
    fn call(&self, request: Request, cx: Context) -> Run {
        let params = request.params.as_ref().map(Raw::borrow);
        match &*request.method {
            "tools/call" => self.tools.call(params, &cx),
            "tools/list" => Run::Ready(self.tools.list(params)),
            method => {
                let message = format!("unknown method `{method}`");
                Run::Ready(Reply::Error(rpc::Error::new(rpc::Error::METHOD_NOT_FOUND, message)))
            }
        }
    }
}
