//! The X280's two images: the monitor and the dispatcher.

use std::path::{Path, PathBuf};

use komorebi_abi::constants::layout;

use super::cache::{Cache, Kind, remove_object};
use super::compiler::{Unit, link};
use super::embedded;
use super::error::{Error, Result};
use super::image::Image;
use super::library::{self, Library};
use super::target::Target;
use super::toolchain::Toolchain;

/// What runs on the harts of X280 cluster 0.
#[derive(Clone, Debug)]
pub struct Firmware {
    /// Resident from the harts' only release on.
    pub monitor: Image,
    /// What the monitor starts on hart 0.
    pub dispatcher: Image,
}

/// One of the two, as a build sees it.
struct Part {
    name: &'static str,
    sources: &'static str,
    script: &'static str,
    symbols: Vec<(&'static str, u64)>,
}

fn parts() -> [Part; 2] {
    let lim = |offset: u32| layout::LIM_BASE + u64::from(offset);
    [
        Part {
            name: "monitor",
            sources: "firmware/src/monitor",
            script: "firmware/link/monitor.ld",
            symbols: vec![
                ("km_text", lim(layout::LIM_MONITOR)),
                ("km_text_bytes", u64::from(layout::LIM_MONITOR_BYTES)),
                ("km_block", lim(layout::LIM_MONITOR_BLOCK)),
            ],
        },
        Part {
            name: "dispatcher",
            sources: "firmware/src/dispatch",
            script: "firmware/link/dispatch.ld",
            symbols: vec![
                ("km_text", lim(layout::LIM_IMAGE)),
                ("km_text_bytes", u64::from(layout::LIM_IMAGE_BYTES)),
            ],
        },
    ]
}

/// Builds the X280's images, or finds them in the cache.
///
/// # Errors
/// The toolchain's and the cache's; [`Error::Compile`] and [`Error::Link`] when the firmware itself is wrong.
pub fn firmware(toolchain: &Toolchain) -> Result<Firmware> {
    firmware_in(&Cache::open()?, toolchain)
}

pub(super) fn firmware_in(cache: &Cache, toolchain: &Toolchain) -> Result<Firmware> {
    let mut key = library::key();
    key.add(toolchain.compiler());
    key.add(toolchain.version());
    for flag in Target::X280.compile().into_iter().chain(Target::X280.link()) {
        key.add(flag);
    }
    for (name, value) in parts().iter().flat_map(|part| &part.symbols) {
        key.add(name);
        key.add(value.to_le_bytes());
    }
    let place = cache.entry(Kind::Firmware, &key, |draft, _| {
        toolchain.probe(Target::X280, draft)?;
        let library = Library::open(cache)?;
        parts().iter().try_for_each(|part| part.build(toolchain, &library, draft))
    })?;
    let [monitor, dispatcher] = parts().map(|part| Image::read(part.name, &part.elf(&place)));
    Ok(Firmware { monitor: monitor?, dispatcher: dispatcher? })
}

impl Part {
    fn elf(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.elf", self.name))
    }

    fn build(&self, toolchain: &Toolchain, library: &Library, draft: &Path) -> Result<()> {
        let mut flags = vec!["-O2".to_owned()];
        flags.extend(library.includes(&["firmware/include", "firmware/src"]));
        let units = embedded::units(self.sources);
        if units.is_empty() {
            let message = format!("{} holds no source file", self.sources);
            return Err(Error::Link { what: self.name.to_owned(), message });
        }
        let mut objects = Vec::new();
        for unit in units {
            let stem = Path::new(unit).file_stem().unwrap_or_default().to_string_lossy();
            let object = draft.join(format!("{}-{stem}.o", self.name));
            let source = library.path(unit);
            Unit {
                what: self.name,
                target: Target::X280,
                folder: draft,
                flags: &flags,
                source: &source,
                object: &object,
            }
            .compile(toolchain)?;
            objects.push(object);
        }
        let objects: Vec<&Path> = objects.iter().map(PathBuf::as_path).collect();
        link(
            toolchain,
            self.name,
            Target::X280,
            &library.path(self.script),
            &self.symbols,
            &objects,
            &self.elf(draft),
        )?;
        objects.iter().try_for_each(|object| remove_object(object))
    }
}
