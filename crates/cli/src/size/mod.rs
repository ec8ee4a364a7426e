//! `size`: the L1 map of a program, and the upload region.

mod declaration;
mod map;
mod sources;

use crate::arguments::SizeArguments;
use crate::failure::Failure;
use crate::{input, output};
use declaration::Declaration;
use komorebi::build::{Toolchain, kernels};
use komorebi_abi::constants::layout;
use map::Map;
use sources::sources;

/// Reads the declaration, builds the kernels or finds them in the cache, and prints what lies where.
pub(crate) fn run(arguments: &SizeArguments) -> Result<(), Failure> {
    let mut declaration = Declaration::read(&arguments.file, arguments.program.as_deref())?;
    for words in &arguments.compile_args {
        declaration.add_compile_args(words)?;
    }
    let sources = sources(&declaration)?;
    let build = |error: komorebi::build::Error| Failure::Build(error.to_string());
    // Whether they fit is what the map says.
    let toolchain = Toolchain::find().map_err(build)?;
    let most = layout::KERNEL_BYTES_MAX;
    let kernels =
        kernels(&toolchain, &sources, &declaration.model, layout::L1_KERNELS, most).map_err(build)?;
    let mut map = Map::of_l1(&declaration.model, &kernels, arguments.trace);
    for upload in &arguments.upload {
        let bytes = input::read(upload, layout::UPLOAD_BYTES as usize, "the upload region holds")?;
        map.add_upload(upload.display().to_string(), bytes.len() as u64);
    }
    output::write(&map.text(), None)
}
