//! How a server answers for its skills.

use std::sync::Arc;

use serde_json::json;

use super::{
    Skills,
    catalog::{Catalog, Content, File},
};
use crate::{
    extension::{Extension, Method},
    handler::Context,
    model::{
        Request,
        extensions::skills::{
            Get, GetParams, GetResult, IDENTIFIER, List, ListParams, ListResult, ReadDirectory, ReadDirectoryParams,
            ReadDirectoryResult, Skill,
        },
        resources::Resource,
    },
    rpc,
    server::{Builder, Extend, Item, Params, ResourceResult, ResourceSource, Visibility, cursor},
    version::Revision,
};

impl Extend for Skills {
    fn extend(self, builder: Builder) -> Builder {
        self.tell(builder.listeners());
        let offered = Arc::new(Offered { skills: self, visibility: builder.visibility() });
        let [list, get, read] = [(); 3].map(|()| offered.clone());
        builder
            .extension(extension())
            .resource_source(offered)
            .method::<List, _>(move |Params(params): Params<ListParams>, cx: Context| list.list_skills(&params, &cx))
            .method::<Get, _>(move |Params(params): Params<GetParams>, cx: Context| get.get_skill(&params, &cx))
            .method::<ReadDirectory, _>(move |Params(params): Params<ReadDirectoryParams>, cx: Context| {
                read.read_directory(&params, &cx)
            })
    }
}

/// What is declared. Nothing is asked of clients: the extension has nothing that they could declare.
fn extension() -> Extension {
    let method = |name| Method::request(name).since(Revision::V2024_11_05).cacheable().open();
    Extension::new(IDENTIFIER)
        .settings([("directoryRead", json!(true))])
        .method(method(List::METHOD))
        .method(method(Get::METHOD))
        .method(method(ReadDirectory::METHOD))
}

/// The skills, as one server offers them.
struct Offered {
    skills: Skills,
    visibility: Visibility,
}

impl Offered {
    fn list_skills(&self, params: &ListParams, cx: &Context) -> Result<ListResult, rpc::Error> {
        let catalog = self.skills.catalog();
        let visible: Vec<&Skill> = catalog.skills.values().map(|skill| &**skill).collect();
        let visible: Vec<_> = visible.into_iter().filter(|skill| self.can_see(&catalog, &skill.uri, cx)).collect();
        let parts = visible.iter().flat_map(|skill| {
            let files = skill.resources.listed().iter().flat_map(|file| [&*file.uri, &*file.digest]);
            [&*skill.uri].into_iter().chain(files)
        });
        let page = Page::new(self, visible.len(), parts, params.cursor.as_deref())?;
        let skills: Vec<_> = visible[page.start..page.end].iter().map(|skill| (*skill).clone()).collect();
        let mut result = ListResult::new(skills);
        result.next_cursor = page.next;
        Ok(result)
    }

    fn get_skill(&self, params: &GetParams, cx: &Context) -> Result<GetResult, rpc::Error> {
        let catalog = self.skills.catalog();
        match catalog.skills.get(&params.uri).filter(|skill| self.can_see(&catalog, &skill.uri, cx)) {
            Some(skill) => Ok(GetResult::new((**skill).clone())),
            None => Err(refused(&params.uri, "there is no skill at")),
        }
    }

    fn read_directory(&self, params: &ReadDirectoryParams, cx: &Context) -> Result<ReadDirectoryResult, rpc::Error> {
        let catalog = self.skills.catalog();
        let can_see = |uri: &str| match catalog.files.contains_key(uri) {
            true => self.can_see(&catalog, uri, cx),
            // A folder is there where something can be seen in it.
            false => catalog.within(&format!("{uri}/")).any(|(uri, _)| self.can_see(&catalog, uri, cx)),
        };
        let Some(children) = catalog.folders.get(&params.uri).filter(|_| can_see(&params.uri)) else {
            return Err(refused(&params.uri, "there is no folder at"));
        };
        let visible: Vec<&Resource> = children.values().filter(|child| can_see(&child.uri)).collect();
        let parts = visible.iter().map(|child| &*child.uri);
        let page = Page::new(self, visible.len(), parts, params.cursor.as_deref())?;
        let children: Vec<_> = visible[page.start..page.end].iter().map(|child| (*child).clone()).collect();
        let mut result = ReadDirectoryResult::new(children);
        result.next_cursor = page.next;
        Ok(result)
    }

    /// Whether whoever asks may see a file.
    fn can_see(&self, catalog: &Catalog, uri: &str, cx: &Context) -> bool {
        catalog.files.get(uri).is_some_and(|file| self.visibility.allows(&Item::Resource(&file.resource), cx))
    }

    fn file(&self, uri: &str) -> Option<Arc<File>> {
        self.skills.catalog().files.get(uri).cloned()
    }
}

impl ResourceSource for Offered {
    fn list(&self) -> Vec<Resource> {
        self.skills.catalog().files.values().map(|file| file.resource.clone()).collect()
    }

    fn find(&self, uri: &str) -> Option<Resource> {
        Some(self.file(uri)?.resource.clone())
    }

    fn read(&self, uri: &str) -> Option<ResourceResult> {
        Some(match &self.file(uri)?.content {
            Content::Text(text) => ResourceResult::text(text),
            Content::Bytes(bytes) => ResourceResult::bytes(&**bytes),
        })
    }
}

/// Which of many entries are on a page.
struct Page {
    start: usize,
    end: usize,
    next: Option<String>,
}

impl Page {
    fn new<'a>(
        offered: &Offered,
        entries: usize,
        parts: impl Iterator<Item = &'a str>,
        cursor: Option<&str>,
    ) -> Result<Self, rpc::Error> {
        let page_size = offered.skills.entries_per_page();
        if entries <= page_size && cursor.is_none() {
            return Ok(Self { start: 0, end: entries, next: None });
        }
        let fingerprint = cursor::fingerprint(parts);
        let start = cursor.map_or(Ok(0), |cursor| cursor::read(cursor, fingerprint))?.min(entries);
        let end = entries.min(start.saturating_add(page_size));
        Ok(Self { start, end, next: (end < entries).then(|| cursor::write(end, fingerprint)) })
    }
}

fn refused(uri: &str, reason: &str) -> rpc::Error {
    let data = rpc::Raw::from_value(&json!({"uri": uri})).expect("text can always be written");
    rpc::Error::new(rpc::Error::INVALID_PARAMS, format!("{reason} {uri:?}")).with_data(data)
}
