//! Images of earlier runs, in the target folder: the tests run often (with seeds, without parking) and compile the same programs
//! each time, which would take longer than to run them.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The image that was made from `source` by these commands, or what `make` makes of it now.
pub(crate) fn image(commands: &str, source: &str, make: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    let key = format!("{}\n{commands}\n{source}", *TOOLS);
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("images");
    let place = folder.join(format!("{:016x}", hasher.finish()));
    // A file has the whole key, so that another one of the same hash is not taken for it.
    let kept = fs::read(&place).ok();
    if let Some(image) =
        kept.as_deref().and_then(|kept| kept.strip_prefix(key.as_bytes())?.strip_prefix(b"\0"))
    {
        return image.to_vec();
    }
    let image = make();
    // Others may be at it too: a file gets its name when it is whole. An image that cannot be kept is made again next time.
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
    let draft = folder.join(format!("draft-{}-{number}", std::process::id()));
    let content = [key.as_bytes(), b"\0", &image].concat();
    let kept = fs::create_dir_all(&folder).and_then(|()| fs::write(&draft, content));
    let _ = kept.and_then(|()| fs::rename(&draft, &place));
    image
}

/// Which compiler and linker there are.
static TOOLS: LazyLock<String> = LazyLock::new(|| {
    let version = |tool: &str| {
        let output = Command::new(tool).arg("--version").output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
    };
    [super::COMPILER, super::LINKER].map(version).concat()
});
