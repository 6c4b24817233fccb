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
    let allowed = |said: &FailurePolicy| Allowance::of(testing, Some(said));
    assert_eq!(allowed(&policy(Some(1_000_000_000), None)).retries_max, 2);
    assert_eq!(allowed(&policy(Some(0), None)).retries_max, 0);
    assert_eq!(allowed(&policy(None, Some(0))).escalate_after, 1);
    assert_eq!(allowed(&policy(None, Some(9))).escalate_after, 3);
}

#[test]
fn a_role_tightens_and_never_loosens() {
    let mut workflow = built_in("waypoint");
    let stage = &mut workflow.stages[0];
    let usual = stage.limits.clone();
    let own = RoleLimits { turn_tokens: Some(9), turn_commands: Some(3), ..RoleLimits::default() };
    stage.role_limits.insert(Role::Verifier, own);
    let verifier = stage.limits_for(Role::Verifier);
    assert_eq!((verifier.turn_tokens, verifier.turn_commands), (9, Some(3)));
    assert_eq!((verifier.turn_ms, verifier.turn_output_mib), (usual.turn_ms, usual.turn_output_mib));
    assert_eq!(stage.limits_for(Role::Builder), usual);
    assert_eq!(workflow.problems(), Vec::<String>::new());
    let json = serde_json::to_string(&workflow).unwrap();
    assert_eq!(serde_json::from_str::<Workflow>(&json).unwrap(), workflow);
    for (role, limits, words) in [
        (
            Role::Verifier,
            RoleLimits { turn_tokens: Some(u64::MAX), ..RoleLimits::default() },
            "only be tighter",
        ),
        (Role::Verifier, RoleLimits { turn_ms: Some(0), ..RoleLimits::default() }, "between 1 and"),
        (Role::Verifier, RoleLimits { turn_output_mib: Some(0), ..RoleLimits::default() }, "at least 1 MiB"),
        (Role::Specialist, RoleLimits::default(), "nobody works as specialist"),
    ] {
        workflow.stages[0].role_limits = [(role, limits)].into();
        let problems = workflow.problems();
        assert!(matches!(problems.as_slice(), [one] if one.contains(words)), "{problems:?}");
    }
}

#[test]
fn what_is_not_bounded_is_not_written() {
    let json = serde_json::to_string(&built_in("waypoint")).unwrap();
    for key in ["budget_ms", "budget_microdollars", "role_limits", "turn_output_mib", "turn_commands"] {
        assert!(!json.contains(key), "{key} in {json}");
    }
}

#[test]
fn a_route_is_followed_only_where_the_stage_lists_it() {
    let mut workflow = built_in("phases");
    let route = |workflow: &Workflow, to: &str| {
        let said = FailurePolicy { route_to: AgentName::new(to).ok(), ..FailurePolicy::default() };
        Allowance::of(&workflow.stages[4], Some(&said)).route_to.unwrap().to_string()
    };
    assert_eq!(route(&workflow, "stranger"), "implementation-agent");
    assert_eq!(route(&workflow, "planning-agent"), "planning-agent");
    workflow.stages[4].routes.clear();
    assert_eq!(route(&workflow, "planning-agent"), "implementation-agent");
}

#[test]
fn phases_and_steps_list_the_agents_of_their_own_stages() {
    for name in built_in_names() {
        let workflow = built_in(name);
        for stage in &workflow.stages {
            let others = workflow.stages.iter().filter(|other| other.agent != stage.agent);
            let expected: Vec<_> = match name {
                "phases" | "steps" => others.map(|other| other.agent.clone()).collect(),
                _ => Vec::new(),
            };
            assert_eq!(stage.routes, expected, "{name}, {}", stage.name);
        }
    }
}

#[test]
fn unknown_keys_of_a_projects_own_are_refused() {
    let own = r#"{"name":"own","stages":[{"name":"a","agent":"b","limits":{"retries_maximum":9}}]}"#;
    assert!(serde_json::from_str::<Workflow>(own).is_err());
    let own = r#"{"name":"own","stages":[{"name":"a","agent":"b","limits":{"retries_max":9}}]}"#;
    let problems = serde_json::from_str::<Workflow>(own).unwrap().problems();
    assert_eq!(problems, ["stage `a`: at most 3 retries are allowed"]);
}
