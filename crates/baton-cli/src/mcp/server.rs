//! Answers requests, whichever way they came. All that a session is told comes from the service and the desk.

use std::path::{Path, PathBuf};

use baton_runner::Service;
use baton_runner::desk::{Id, Session};
use serde_json::{Map, Value, json};

use super::caller::Surroundings;
use super::form::{Form, Subject, Word};
use super::message::{INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, Request, RpcError};
use super::revision::{self, Client, Era};
use super::seal::{self, ANSWER_MS_MAX, Seal, State};
use super::tool::{self, Outcome, Tool};
use super::{prompt, resource};
use crate::command::audit::now;
use crate::command::desk::{Who, failure, task_id};
use crate::failure::Failure;

/// How long lists that never change may be kept, in milliseconds.
const LIST_TTL_MS: u64 = 3_600_000;
/// The key of the one form that a result asks for.
const FORM_KEY: &str = "person";
/// What a model is told of this server when it is started.
const INSTRUCTIONS: &str = "Baton carries tasks between agents and judges handoffs by checks that it runs itself. \
    `receive` a task, work, `submit`. `ask` where a person must decide.";

/// A server for one project.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) who: Who,
    /// A configuration that was named, instead of the nearest.
    config: Option<PathBuf>,
    surroundings: Surroundings,
    seal: Seal,
}

/// A way to a person in the middle of a request; only the session-based world has one.
pub(crate) trait Asker {
    /// Shows a form and waits, within bounds, for what comes back.
    fn ask(&mut self, form: &Form) -> Option<Value>;
}

/// Nobody can be asked.
#[derive(Debug)]
pub(crate) struct Nobody;

impl Asker for Nobody {
    fn ask(&mut self, _form: &Form) -> Option<Value> {
        None
    }
}

/// Who reaches a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// The client that started it.
    ByOne,
    ByMany,
}

impl Server {
    pub(crate) fn new(
        who: Who,
        config: Option<&Path>,
        root: &Path,
        reached: Reached,
    ) -> Result<Self, String> {
        let surroundings = match reached {
            Reached::ByOne => Surroundings::of_process(root),
            Reached::ByMany => Surroundings::of_server(root),
        };
        Ok(Self { who, config: config.map(Path::to_owned), surroundings, seal: Seal::new()? })
    }

    /// Answers `initialize`.
    pub(crate) fn hello(&self, params: &Map<String, Value>) -> (Client, Value) {
        let wanted = params.get("protocolVersion").and_then(Value::as_str);
        let result = json!({
            "protocolVersion": revision::agreed(wanted),
            "capabilities": capabilities(),
            "serverInfo": revision::server_info(),
            "instructions": INSTRUCTIONS,
        });
        (Client::of_hello(params), result)
    }

    /// Answers any other request.
    pub(crate) fn answer(
        &self,
        request: &Request,
        client: &Client,
        asker: &mut dyn Asker,
    ) -> Result<Value, RpcError> {
        let params = &request.params;
        if params.contains_key("cursor") && request.method.ends_with("/list") {
            return Err(RpcError::new(INVALID_PARAMS, "`cursor` is not ours: every list is one page"));
        }
        let (result, ttl_ms) = match (request.method.as_str(), client.era) {
            ("ping", Era::Session) => return Ok(json!({})),
            ("server/discover", Era::Stateless) => (discovery(), Some(LIST_TTL_MS)),
            ("tools/list", _) => (tools(), Some(LIST_TTL_MS)),
            ("tools/call", _) => (self.call(request, client, asker)?, None),
            ("resources/list", _) => (resource::list(self, client, request.meta())?, Some(0)),
            ("resources/templates/list", _) => (resource::templates(), Some(LIST_TTL_MS)),
            ("resources/read", _) => (resource::read(self, client, request)?, Some(0)),
            ("prompts/list", _) => (prompt::list(), Some(LIST_TTL_MS)),
            ("prompts/get", _) => (prompt::get(params)?, None),
            (method, _) => {
                let shown: String = crate::output::printable(method).chars().take(64).collect();
                return Err(RpcError::new(METHOD_NOT_FOUND, format!("there is no method `{shown}` here")));
            }
        };
        Ok(match client.era {
            Era::Session => result,
            Era::Stateless => revision::complete(cacheable(result, ttl_ms)),
        })
    }

    fn call(&self, request: &Request, client: &Client, asker: &mut dyn Asker) -> Result<Value, RpcError> {
        let params = &request.params;
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let Some(tool) = Tool::named(name) else {
            let names: Vec<&str> = tool::ALL.iter().map(|tool| tool.name).collect();
            return Err(RpcError::new(
                INVALID_PARAMS,
                format!("there is no such tool; there are {}", names.join(", ")),
            ));
        };
        let nothing = json!({});
        let given = params.get("arguments").filter(|given| !given.is_null()).unwrap_or(&nothing);
        let Some(arguments) = given.as_object() else {
            return Err(RpcError::new(INVALID_PARAMS, "`arguments` must be an object"));
        };
        let session = self.session(client, request.meta())?;
        let call = Asked { client, session: &session, call: seal::call(name, given) };
        if client.era == Era::Stateless && params.contains_key("requestState") {
            return Ok(result(self.go_on(&call, params)));
        }
        let outcome =
            self.service().and_then(|service| tool.run((self, &service), session.clone(), arguments));
        Ok(match outcome {
            Ok(Outcome::Told(text)) => result(Ok(text)),
            Ok(Outcome::Asks { form, told }) => self.ask(&call, &form, told, asker),
            Err(failure) => result(Err(failure)),
        })
    }

    /// Asks a person at once where that is possible and allowed; tells the agent what holds without them otherwise.
    fn ask(&self, call: &Asked<'_>, form: &Form, told: String, asker: &mut dyn Asker) -> Value {
        let allowed = self.service().is_ok_and(|service| service.takes_answers_from(&call.client.name));
        if !call.client.has_forms || !allowed {
            return result(Ok(told));
        }
        match call.client.era {
            Era::Session => {
                let word = asker.ask(form).and_then(|answer| form.subject.word(&answer));
                match word {
                    Some(word) => result(self.take(call, &form.subject, word)),
                    None => result(Ok(told)),
                }
            }
            Era::Stateless => {
                let state = State {
                    subject: form.subject.clone(),
                    session: call.session.to_string(),
                    call: call.call.clone(),
                    expires: now_ms().saturating_add(ANSWER_MS_MAX),
                };
                let Some(state) = self.seal.close(&state) else { return result(Ok(told)) };
                let request = json!({ "method": "elicitation/create", "params": form.parameters() });
                json!({ "resultType": "input_required", "inputRequests": { FORM_KEY: request }, "requestState": state })
            }
        }
    }

    /// A request of the stateless world comes again, with what came back in the form.
    fn go_on(&self, call: &Asked<'_>, params: &Map<String, Value>) -> Result<String, Failure> {
        let sealed = params.get("requestState").and_then(Value::as_str).unwrap_or_default();
        let state = self.seal.open(sealed, now_ms());
        let own = state.filter(|state| state.session == call.session.as_str() && state.call == call.call);
        let Some(State { subject, .. }) = own else {
            let next = "call the tool again without `requestState`; the person is asked anew";
            return Err(Failure::usage("the form is not of this call and session, or its time is up", next));
        };
        let answer = params.get("inputResponses").and_then(|responses| responses.get(FORM_KEY));
        let allowed = call.client.has_forms && self.service()?.takes_answers_from(&call.client.name);
        match answer.and_then(|answer| subject.word(answer)).filter(|_| allowed) {
            Some(word) => self.take(call, &subject, word),
            None => Ok(subject.left_open()),
        }
    }

    /// Records a person's word under their name and that of the client it came through, and says what follows.
    fn take(&self, call: &Asked<'_>, subject: &Subject, word: Word) -> Result<String, Failure> {
        let service = self.service()?;
        let mut person = self.who.through(&call.client.name).desk(&service)?;
        let task = |text: &str| task_id(text).map_err(|error| Failure::usage(&error, "ask again"));
        match (subject, word) {
            (Subject::Clarification { task: id, id: question }, Word::Answer(answer)) => {
                person.answer(&task(id)?, question, &answer).map_err(failure)?;
                Ok(format!("a person answers: {answer}"))
            }
            (Subject::Gate { task: id, gate, version }, Word::Choice(choice, words)) => {
                let id: Id = task(id)?;
                let asked = person.gate_question(&id).map_err(failure)?;
                let shown = asked.filter(|asked| asked.gate.as_str() == gate && asked.version() == *version);
                let Some(shown) = shown else {
                    return Err(Failure::usage(
                        "the gate shows another version now",
                        "`check` the task again",
                    ));
                };
                person.answer_gate_question(&shown, choice, &words).map_err(failure)?;
                let mut desk = self.who.desk(&service)?.for_guest(call.session.clone());
                Ok(format!("a person says {} {words}\n{}", choice.name(), tool::judged(&mut desk, &id)?))
            }
            (Subject::Clarification { .. } | Subject::Gate { .. }, Word::Answer(_) | Word::Choice(..)) => {
                Err(Failure::usage("the form says something else than was asked", "ask again"))
            }
        }
    }

    pub(crate) fn session(
        &self,
        client: &Client,
        meta: Option<&Map<String, Value>>,
    ) -> Result<Session, RpcError> {
        let session = self.surroundings.session(&client.name, meta);
        session.ok_or_else(|| RpcError::new(INTERNAL_ERROR, "the session has no name"))
    }

    /// Opens the service anew: configuration and trust may have changed since the last request.
    pub(crate) fn service(&self) -> Result<Service, Failure> {
        crate::command::open(self.config.as_deref())
    }
}

/// A call for which a person may be asked.
struct Asked<'a> {
    client: &'a Client,
    session: &'a Session,
    /// The hash of the tool and its arguments.
    call: String,
}

fn capabilities() -> Value {
    json!({ "tools": {}, "resources": {}, "prompts": {} })
}

fn discovery() -> Value {
    let supported: Vec<&str> =
        std::iter::once(revision::STATELESS).chain(revision::SESSION.iter().copied()).collect();
    json!({ "supportedVersions": supported, "capabilities": capabilities(), "instructions": INSTRUCTIONS })
}

pub(crate) fn tools() -> Value {
    let listed: Vec<Value> = tool::ALL.iter().map(|tool| tool.listed()).collect();
    json!({ "tools": listed })
}

fn cacheable(mut result: Value, ttl_ms: Option<u64>) -> Value {
    if let Some(ttl_ms) = ttl_ms {
        result["ttlMs"] = json!(ttl_ms);
        result["cacheScope"] = json!(if ttl_ms == 0 { "private" } else { "public" });
    }
    result
}

fn result(told: Result<String, Failure>) -> Value {
    match told {
        Ok(text) => json!({ "content": [{ "type": "text", "text": text }] }),
        Err(failure) => json!({ "content": [{ "type": "text", "text": failure.words() }], "isError": true }),
    }
}

pub(crate) fn now_ms() -> i64 {
    now().saturating_mul(1000)
}
