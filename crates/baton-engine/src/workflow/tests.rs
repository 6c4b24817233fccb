use super::*;

fn built_in(name: &str) -> Workflow {
    Workflow::built_in(name).expect(name)
}

#[test]
fn built_in_workflows_keep_their_own_rules() {
    for name in built_in_names() {
        let workflow = built_in(name);
        assert_eq!(workflow.problems(), Vec::<String>::new(), "{name}");
        let json = serde_json::to_string(&workflow).unwrap();
        assert_eq!(serde_json::from_str::<Workflow>(&json).unwrap(), workflow, "{name}");
    }
}

#[test]
fn stages_have_sixteen_checkpoints_and_phases_are_eight() {
    let count: usize = built_in("stages").stages.iter().map(|stage| stage.checkpoints.len()).sum();
    assert_eq!((built_in("stages").stages.len(), count), (4, 16));
    assert_eq!(built_in("phases").stages.len(), 8);
}

#[test]
fn a_handoff_tightens_and_never_loosens() {
    let workflow = built_in("phases");
    let testing = &workflow.stages[4];
    let policy = |retry, escalate_after| FailurePolicy { retry, escalate_after, ..FailurePolicy::default() };
    let allowed = |said: &FailurePolicy| Allowance::of(&workflow, testing, Some(said));
    assert_eq!(allowed(&policy(Some(1_000_000_000), None)).retries_max, 2);
    assert_eq!(allowed(&policy(Some(0), None)).retries_max, 0);
    assert_eq!(allowed(&policy(None, Some(0))).escalate_after, 1);
    assert_eq!(allowed(&policy(None, Some(9))).escalate_after, 3);
}

#[test]
fn a_route_to_a_stranger_is_not_followed() {
    let workflow = built_in("phases");
    let said = FailurePolicy { route_to: AgentName::new("stranger").ok(), ..FailurePolicy::default() };
    let route = Allowance::of(&workflow, &workflow.stages[4], Some(&said)).route_to;
    assert_eq!(route.unwrap().as_str(), "implementation-agent");
}

#[test]
fn unknown_keys_of_a_projects_own_are_refused() {
    let own = r#"{"name":"own","stages":[{"name":"a","agent":"b","limits":{"retries_maximum":9}}]}"#;
    assert!(serde_json::from_str::<Workflow>(own).is_err());
    let own = r#"{"name":"own","stages":[{"name":"a","agent":"b","limits":{"retries_max":9}}]}"#;
    let problems = serde_json::from_str::<Workflow>(own).unwrap().problems();
    assert_eq!(problems, ["stage `a`: at most 3 retries are allowed"]);
}
