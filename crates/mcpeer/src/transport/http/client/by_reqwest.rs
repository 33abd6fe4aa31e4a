//! reqwest, as a stack.

use std::{io, sync::Arc};

use bytes::Bytes;
use http::{Request, Response};
use reqwest::redirect;

use super::{HttpClient, ResponseBody};
use crate::driver::BoxFuture;

struct Reqwest(reqwest::Client);

/// Makes a stack. Redirects are followed elsewhere, where they may be.
pub(super) fn stack(builder: reqwest::ClientBuilder) -> io::Result<Arc<dyn HttpClient>> {
    let client = builder.redirect(redirect::Policy::none()).referer(false).build().map_err(io::Error::other)?;
    Ok(Arc::new(Reqwest(client)))
}

impl HttpClient for Reqwest {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<io::Result<Response<ResponseBody>>> {
        let client = self.0.clone();
        Box::pin(async move {
            let request = reqwest::Request::try_from(request).map_err(io::Error::other)?;
            // An address may hold secrets.
            let response = client.execute(request).await.map_err(|error| io::Error::other(error.without_url()))?;
            Ok(Response::<reqwest::Body>::from(response).map(ResponseBody::new))
        })
    }
}
