//! Sessions and what is said in them, kept in files: what the example `resume_after_restart` gives to its server.

use std::{fs, future::ready, io, path::PathBuf, time::SystemTime};

use mcpeer::{
    driver::BoxFuture,
    server::sessions::{Event, EventStore, Record, SessionStore},
};

/// A file for each session and for each event: until when it counts, whether nothing follows, and the text. Who calls
/// waits for the disk, as a small server may.
#[derive(Clone, Debug)]
pub(crate) struct Files(pub(crate) PathBuf);
type Kept = (SystemTime, bool, String);
type Done<T> = BoxFuture<io::Result<T>>;

impl Files {
    /// The start of names. Whatever stands in an id that a client sent, it names no other file.
    fn name(kind: &str, ids: &[&str]) -> String {
        let hex = |id: &&str| id.bytes().map(|byte| format!("{byte:02x}")).collect::<String>() + ".";
        kind.to_owned() + &ids.iter().map(hex).collect::<String>()
    }
    fn put(&self, name: String, kept: Kept) -> Done<()> {
        Box::pin(ready(
            serde_json::to_vec(&kept).map_err(Into::into).and_then(|text| fs::write(self.0.join(name), text)),
        ))
    }
    fn find(&self, start: &str) -> io::Result<Vec<(String, Kept)>> {
        let names = fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name().into_string().unwrap_or_default()));
        let mut names = names.collect::<io::Result<Vec<_>>>()?;
        names.retain(|name| name.starts_with(start));
        names.sort();
        names
            .into_iter()
            .map(|name| Ok((name.clone(), serde_json::from_slice(&fs::read(self.0.join(name))?)?)))
            .collect()
    }
    fn remove_where(&self, start: &str, is_over: impl Fn(&Kept) -> bool) -> Done<()> {
        let remove =
            |(name, kept): &(String, Kept)| if is_over(kept) { fs::remove_file(self.0.join(name)) } else { Ok(()) };
        Box::pin(ready(self.find(start).and_then(|found| found.iter().try_for_each(remove))))
    }
}
impl SessionStore for Files {
    fn put(&self, record: Record, _: SystemTime) -> Done<()> {
        Files::put(self, Self::name("s.", &[&record.id]), (record.expires, false, record.text))
    }
    fn get(&self, id: &str, now: SystemTime) -> Done<Option<Record>> {
        let record = |(_, (expires, _, text)): (String, Kept)| Record { id: id.to_owned(), expires, text };
        let found = self.find(&Self::name("s.", &[id])).map(|found| found.into_iter().map(record).next());
        Box::pin(ready(found.map(|found| found.filter(|record| record.expires > now))))
    }
    fn remove(&self, id: &str) -> Done<()> {
        self.remove_where(&Self::name("s.", &[id]), |_| true)
    }
    fn remove_expired(&self, now: SystemTime) -> Done<()> {
        self.remove_where("s.", |(expires, ..)| *expires <= now)
    }
}
impl EventStore for Files {
    fn append(&self, session: &str, event: Event, _: SystemTime) -> Done<()> {
        let name = format!("{}{:020}", Self::name("e.", &[session, &event.stream]), event.sequence);
        Files::put(self, name, (event.expires, event.is_last, event.text))
    }
    fn after(&self, session: &str, stream: &str, sequence: u64, now: SystemTime) -> Done<Vec<Event>> {
        let start = Self::name("e.", &[session, stream]);
        let event = |(name, (expires, is_last, text)): (String, Kept)| {
            let sequence = name[start.len()..].parse().unwrap_or_default();
            Event { stream: stream.to_owned(), sequence, text, is_last, expires }
        };
        let is_meant = |event: &Event| event.sequence > sequence && event.expires > now;
        Box::pin(ready(self.find(&start).map(|found| found.into_iter().map(event).filter(is_meant).collect())))
    }
    fn remove(&self, session: &str) -> Done<()> {
        self.remove_where(&Self::name("e.", &[session]), |_| true)
    }
    fn remove_expired(&self, now: SystemTime) -> Done<()> {
        self.remove_where("e.", |(expires, ..)| *expires <= now)
    }
}
