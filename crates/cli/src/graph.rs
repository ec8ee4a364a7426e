//! `graph`: the graph of an upload as text or as a picture.

use crate::arguments::GraphArguments;
use crate::failure::Failure;
use crate::upload::Upload;
use komorebi_abi::engine::UploadKind;
use komorebi_abi::graph;

/// Decodes and prints it.
pub(crate) fn run(arguments: &GraphArguments) -> Result<(), Failure> {
    let upload = Upload::read(&arguments.upload, UploadKind::Graph)?;
    let model =
        graph::decode(&upload.bytes, upload.cores).map_err(|refusal| upload.refused(refusal, "node"))?;
    let facts = upload.facts.as_ref();
    let text = match (arguments.dot, arguments.svg) {
        (true, _) => graph::dot(&model, facts),
        (_, true) => graph::svg(&model, facts),
        _ => graph::listing(&model, facts),
    };
    upload.write(&text)
}
