//! Tests of the `baton` binary, as a person or a script runs it.
#![expect(clippy::expect_used, clippy::panic, reason = "tests stop at the first surprise")]
#![cfg_attr(
    target_os = "linux",
    expect(clippy::print_stdout, reason = "what was measured is told with `--nocapture`")
)]

mod audit;
mod audit_hostile;
mod audit_html;
mod audit_run;
#[cfg(target_os = "linux")]
mod authority;
mod backup;
mod bounds;
#[cfg(target_os = "linux")]
mod boxed;
#[cfg(target_os = "linux")]
mod budgets;
mod check;
mod checkpoints;
#[cfg(target_os = "linux")]
mod claims;
mod config;
#[cfg(target_os = "linux")]
mod confined;
mod context;
mod desk;
mod desk_delegation;
mod desk_files;
mod desk_rollback;
mod desk_why;
mod desk_workflow;
#[cfg(target_os = "linux")]
mod drive;
mod durability;
mod escapes;
mod fix;
mod formats;
#[cfg(target_os = "linux")]
mod guides;
mod help;
mod hook;
mod hook_payloads;
mod hostile;
mod init;
mod injection;
mod knowledge;
mod lies;
mod mcp;
#[cfg(target_os = "linux")]
mod nasty;
mod newcomer;
mod pipe;
mod processing;
mod race;
#[cfg(target_os = "linux")]
mod real_agents;
#[cfg(target_os = "linux")]
mod receipts;
mod refused;
mod replay;
#[cfg(target_os = "linux")]
mod resting;
#[cfg(target_os = "linux")]
mod run_allowed;
#[cfg(target_os = "linux")]
mod run_asks;
#[cfg(target_os = "linux")]
mod run_by_hand;
#[cfg(target_os = "linux")]
mod run_cheats;
#[cfg(target_os = "linux")]
mod run_checks;
#[cfg(target_os = "linux")]
mod run_claims;
#[cfg(target_os = "linux")]
mod run_costs;
#[cfg(target_os = "linux")]
mod run_crash;
#[cfg(target_os = "linux")]
mod run_dialects;
#[cfg(target_os = "linux")]
mod run_dirty;
#[cfg(target_os = "linux")]
mod run_ends;
#[cfg(target_os = "linux")]
mod run_feedback;
#[cfg(target_os = "linux")]
mod run_forms;
#[cfg(target_os = "linux")]
mod run_guards;
#[cfg(target_os = "linux")]
mod run_hands;
#[cfg(target_os = "linux")]
mod run_looks;
#[cfg(target_os = "linux")]
mod run_lost_checks;
#[cfg(target_os = "linux")]
mod run_many;
#[cfg(target_os = "linux")]
mod run_nasty;
#[cfg(target_os = "linux")]
mod run_packages;
mod run_plan;
#[cfg(target_os = "linux")]
mod run_programs;
#[cfg(target_os = "linux")]
mod run_refused;
#[cfg(target_os = "linux")]
mod run_rooms;
#[cfg(target_os = "linux")]
mod run_secrets;
#[cfg(target_os = "linux")]
mod run_shown;
#[cfg(target_os = "linux")]
mod run_special;
mod run_stages;
#[cfg(target_os = "linux")]
mod run_stop;
#[cfg(target_os = "linux")]
mod run_submodules;
#[cfg(target_os = "linux")]
mod run_targets;
#[cfg(target_os = "linux")]
mod run_together;
#[cfg(target_os = "linux")]
mod run_told;
#[cfg(target_os = "linux")]
mod run_trust;
#[cfg(target_os = "linux")]
mod scripted;
mod secrets;
mod storage;
#[cfg(target_os = "linux")]
mod supervised;
mod support;
#[cfg(target_os = "linux")]
mod team;
#[cfg(target_os = "linux")]
mod traced;
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
