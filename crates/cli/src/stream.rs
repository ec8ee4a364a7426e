//! `stream`: the stream of an upload as text.

use crate::arguments::StreamArguments;
use crate::failure::Failure;
use crate::upload::Upload;
use komorebi_abi::engine::{Image, UploadKind};
use komorebi_abi::stream::disassembly;

/// Disassembles and prints it.
pub(crate) fn run(arguments: &StreamArguments) -> Result<(), Failure> {
    let upload = Upload::read(&arguments.upload, UploadKind::Stream)?;
    let image = Image::check_but_bindings(&upload.bytes, UploadKind::Stream, upload.cores)
        .map_err(|refusal| upload.refused(refusal, "command or instruction"))?;
    upload.write(&disassembly(&image, upload.facts.as_ref()))
}
