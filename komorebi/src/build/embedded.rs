//! The device code that travels in this crate.

include!(concat!(env!("OUT_DIR"), "/device.rs"));

/// Every file with its path in the workspace, sorted by path.
pub(super) fn files() -> &'static [(&'static str, &'static [u8])] {
    FILES
}

/// The `.cpp` and `.S` files in `folder`, not in its subfolders.
pub(super) fn units(folder: &str) -> Vec<&'static str> {
    let inside = |path: &&str| {
        let rest = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|name| !name.contains('/') && (name.ends_with(".cpp") || name.ends_with(".S")))
    };
    FILES.iter().map(|(path, _)| *path).filter(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_and_the_firmware_are_embedded() {
        for path in [
            "firmware/include/komorebi/core.h",
            "kernels/include/komorebi/kernel.h",
            "kernels/link/kernel.ld",
        ] {
            assert!(files().iter().any(|(found, bytes)| *found == path && !bytes.is_empty()), "{path}");
        }
        assert_eq!(units("kernels/src"), ["kernels/src/thread.cpp"]);
    }
}
