use super::{ResponseBody, send::explain};

/// Takes in a whole body.
///
/// # Errors
///
/// It is too long, or broke off.
pub(super) async fn collect(mut body: ResponseBody, limit: usize) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|error| format!("the answer broke off: {}", explain(&error)))?;
        if text.len() + piece.len() > limit {
            return Err(format!("the answer has more than {limit} bytes"));
        }
        text.extend_from_slice(&piece);
    }
    Ok(text)
}
