use ct_codecs::{Base64, Decoder};

use crate::model::resources::{Contents, ReadResult};

/// A file of a skill, as it was read and verified.
///
/// ```
/// # use mcpeer::skills::LoadedSkill;
/// # async fn example(tidy: &LoadedSkill) -> mcpeer::error::Result<()> {
/// let picture = tidy.read("pictures/kitchen.png").await?;
/// println!("{} bytes of {}", picture.bytes().len(), picture.mime_type().unwrap_or("something"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFile {
    uri: String,
    mime_type: Option<String>,
    bytes: Vec<u8>,
}

impl SkillFile {
    /// Takes what was read; or says what it is instead of one file.
    pub(super) fn new(uri: &str, read: ReadResult) -> Result<Self, String> {
        let contents =
            <[Contents; 1]>::try_from(read.contents).map_err(|contents| format!("{} contents", contents.len()))?;
        let (found, mime_type, bytes) = match contents {
            [Contents::Text(text)] => (text.uri, text.mime_type, text.text.into_bytes()),
            [Contents::Blob(blob)] => {
                let bytes = Base64::decode_to_vec(&blob.blob, None).map_err(|_| "no base64".to_owned())?;
                (blob.uri, blob.mime_type, bytes)
            }
            [Contents::Unknown(_)] => return Err("neither text nor bytes".to_owned()),
        };
        if found != uri {
            return Err(format!("that of `{found}`"));
        }
        Ok(Self { uri: found, mime_type, bytes })
    }

    /// Gives the address.
    ///
    /// ```
    /// # use mcpeer::skills::SkillFile;
    /// # fn example(file: &SkillFile) {
    /// println!("{}", file.uri());
    /// # }
    /// ```
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Gives the media type, as the server says it.
    ///
    /// ```
    /// # use mcpeer::skills::SkillFile;
    /// # fn example(file: &SkillFile) {
    /// println!("{}", file.mime_type().unwrap_or("something"));
    /// # }
    /// ```
    pub fn mime_type(&self) -> Option<&str> {
        self.mime_type.as_deref()
    }

    /// Gives the bytes.
    ///
    /// ```
    /// # use mcpeer::skills::SkillFile;
    /// # fn example(file: &SkillFile) {
    /// println!("{} bytes", file.bytes().len());
    /// # }
    /// ```
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives the text; `None` where the bytes are none.
    ///
    /// ```
    /// # use mcpeer::skills::SkillFile;
    /// # fn example(file: &SkillFile) {
    /// println!("{}", file.text().unwrap_or("a picture"));
    /// # }
    /// ```
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    pub(super) fn into_text(self) -> Option<String> {
        String::from_utf8(self.bytes).ok()
    }
}
