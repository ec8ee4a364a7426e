//! What a change of a graph costs its author: `cargo check` of a small crate of its own, with one number of its graph
//! changed. Dependencies are checked before, once, in a target folder that stays.

use crate::BenchError;
use crate::figure::Reading;
use crate::stopwatch::{milliseconds, timed};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const RUNS: u32 = 7;

/// The crate's graph, with the number that changes.
fn source(number: u32) -> String {
    format!(
        r#"//! A program and a graph of it.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
trait Field {{
    #[handler(1)]
    fn step(#[inout] state: km::Address, iteration: u32);
    #[handler(2)]
    fn norm(#[input] state: km::Address) -> u32;
}}

km::graph! {{
    <Field>
    graph Converge(deadline = 200 ms, max_runs = 50, req = 6) {{
        bind state: km::Address, limit: u32;
        reg error: u32, iteration: u32;

        let start = cpu {{ iteration = {number}; }};
        let advance = step[0..60](state, iteration) after start;
        let measure = norm[0..60](state) -> error after advance;
        cpu after measure {{
            iteration += 1;
            again = error > limit;
        }}
        end(iteration, error);
    }}
}}

fn main() {{
    println!("{{:?}}", Converge::bind(km::Address(64), 1));
}}
"#
    )
}

fn write_crate(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder.join("src/kernels"))?;
    let manifest = format!(
        "[package]\nname = \"rebuild\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nkomorebi = {{ path = {:?} }}\n\n[workspace]\n",
        Path::new(WORKSPACE).join("komorebi")
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(Path::new(WORKSPACE).join("Cargo.lock"), folder.join("Cargo.lock"))?;
    for kernel in ["reader", "compute", "writer"] {
        fs::write(folder.join(format!("src/kernels/{kernel}.cpp")), "#include <komorebi/kernel.h>\n")?;
    }
    fs::write(folder.join("src/main.rs"), source(0))
}

fn check(folder: &Path) -> Result<(), BenchError> {
    let output = Command::new("cargo")
        .args(["check", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .output()
        .map_err(|error| BenchError::Child(format!("cargo cannot be run: {error}")))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(BenchError::Child(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

/// Milliseconds from a changed graph to a checked crate: the least of several.
pub(crate) fn rebuild() -> Result<Reading, BenchError> {
    let folder: PathBuf = Path::new(WORKSPACE).join("target/rebuild");
    let wrote =
        |error: io::Error| BenchError::Child(format!("{} cannot be written: {error}", folder.display()));
    write_crate(&folder).map_err(wrote)?;
    check(&folder)?;
    let mut least = f64::INFINITY;
    for number in 1..=RUNS {
        fs::write(folder.join("src/main.rs"), source(number)).map_err(wrote)?;
        let (done, took) = timed(|| check(&folder));
        done?;
        least = least.min(milliseconds(took));
    }
    Ok(least.into())
}
