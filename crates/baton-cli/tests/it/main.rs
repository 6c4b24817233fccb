//! Tests of the `baton` binary, as a person or a script runs it.
#![expect(clippy::expect_used, clippy::panic, reason = "tests stop at the first surprise")]

mod audit;
mod audit_hostile;
mod audit_html;
mod audit_run;
mod check;
mod config;
mod desk;
mod escapes;
mod fix;
mod formats;
mod help;
mod hostile;
mod pipe;
mod secrets;
mod support;
mod walk;
mod write;

#[test]
fn every_file_of_tests_is_declared() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let name = entry.expect("readable").file_name().to_string_lossy().into_owned();
        let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") else { continue };
        assert!(include_str!("main.rs").contains(&format!("mod {module};")), "{name} is not declared");
    }
}
