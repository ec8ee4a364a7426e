//! Prints the constants of a header: `cargo run -p komorebi-headers --example dump -- header.h [include-dir...]`.

use komorebi_headers::{Header, Options};

fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: dump header.h [include-dir...]");
        return std::process::ExitCode::FAILURE;
    };
    let options = arguments.fold(Options::new(), |options, dir| options.include_dir(dir));
    let header = match Header::read(path, &options) {
        Ok(header) => header,
        Err(error) => {
            eprintln!("{}", error.render());
            return std::process::ExitCode::FAILURE;
        }
    };
    for constant in header.constants() {
        let doc = constant.doc.as_deref().unwrap_or("").replace('\n', " ");
        println!("{} = {} : {}  // {doc}", constant.path, constant.value, constant.ty());
    }
    for failed in header.unevaluated() {
        println!("{}\n", failed.error.render());
    }
    std::process::ExitCode::SUCCESS
}
