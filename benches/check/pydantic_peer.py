"""Judges a folder of handoffs with pydantic and PyYAML's C loader.

python pydantic_peer.py <folder of documents>
Prints one JSON object: how many documents and bytes were read, and which documents are invalid.
"""

import json
import os
import sys
from datetime import datetime
from typing import Annotated, Any, Literal, Optional

import yaml
from pydantic import BaseModel, Field, StringConstraints, ValidationError, model_validator

Agent = Annotated[str, StringConstraints(pattern=r"^@[a-z0-9-]+$")]
Level = Literal["high", "medium", "low"]
Lines = Annotated[str, StringConstraints(pattern=r"^(all|[0-9]+-[0-9]+)$")]
Path = Annotated[str, StringConstraints(pattern=r"^[^/~]")]
Tag = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Count = Annotated[int, Field(ge=0)]


class Checkpoint(BaseModel):
    name: str
    status: Literal["pass", "fail", "skip"]
    message: Optional[str] = None


class Stage(BaseModel):
    id: Annotated[str, StringConstraints(pattern=r"^[A-Z]+[0-9]+$")]
    stage: Literal["requirements", "architecture", "implementation", "qa"]
    title: Optional[str] = None
    started_at: datetime
    completed_at: Optional[datetime] = None
    status: Literal["in_progress", "complete", "failed", "blocked"]
    handoff_ready: bool
    checkpoints: Annotated[list[Checkpoint], Field(min_length=1)]
    retry_count: Annotated[int, Field(ge=0, le=3)]
    last_failure: Optional[str] = None
    block_reason: Optional[Literal["needs_human_input", "external_dependency", "scope_change"]] = None
    block_details: Optional[str] = None

    @model_validator(mode="after")
    def blocked_says_why(self):
        if self.status == "blocked" and not (self.block_reason and self.block_details):
            raise ValueError("blocked needs a reason and details")
        return self


class OnFailure(BaseModel):
    retry: Optional[Count] = None
    route_to: Optional[Agent] = None
    notify: Optional[Agent] = None
    escalate_after: Optional[Count] = None
    context: Optional[str] = None


class SummaryHandoff(BaseModel):
    phase: Literal[
        "Research", "Planning", "Infrastructure", "Implementation", "Testing", "Integration", "QA", "Complete"
    ]
    from_: Annotated[Agent, Field(alias="from")]
    to: Optional[Literal["None"] | Agent]
    status: Literal["pending", "in_progress", "complete", "failed", "blocked", "retry"]
    retry_count: Count = 0
    metrics: dict[str, Any] = {}
    dependencies: list[str] = []
    on_failure: Optional[OnFailure] = None
    timestamp: Optional[datetime] = None
    context: dict[str, Any] = {}


class Summary(BaseModel):
    handoff: SummaryHandoff


class FileCreated(BaseModel):
    path: Path
    purpose: str
    lines: Optional[Lines] = None


class FileModified(BaseModel):
    path: Path
    lines: Optional[Lines] = None
    change_type: Literal["add", "modify", "delete", "refactor"]
    description: str


class Pattern(BaseModel):
    id: Optional[str] = None
    pattern: str
    location: Optional[str] = None
    applies_to: list[Tag] = []


class Gotcha(BaseModel):
    id: Optional[str] = None
    issue: str
    discovered_in: Optional[str] = None
    mitigation: Optional[str] = None
    severity: Level


class Dependency(BaseModel):
    file: Path
    reason: str


class TaskQuestion(BaseModel):
    question: str
    context: Optional[str] = None
    recommendation: Optional[str] = None
    blocking: bool = False


class NextStep(BaseModel):
    step: str
    priority: Optional[Level] = None
    depends_on: list[str] = []


class Blocker(BaseModel):
    blocker: str
    impact: Optional[str] = None
    suggested_resolution: Optional[str] = None
    blocking_tasks: list[str] = []


class Task(BaseModel):
    outcome: Literal["completed", "partial", "failed", "blocked"]
    files_created: list[FileCreated] = []
    files_modified: list[FileModified] = []
    patterns_discovered: list[Pattern] = []
    gotchas: list[Gotcha] = []
    dependencies_for_next: list[Dependency] = []
    open_questions: list[TaskQuestion] = []
    suggested_next_steps: list[NextStep] = []
    blockers: list[Blocker] = []

    @model_validator(mode="after")
    def unfinished_says_why(self):
        if self.outcome != "completed" and not self.blockers:
            raise ValueError("an unfinished task needs blockers")
        return self


class Sender(BaseModel):
    agent: str
    step: int | str | None = None


class Receiver(BaseModel):
    agent: str
    reason: str


class Decision(BaseModel):
    id: Optional[str] = None
    decision: str
    rationale: Optional[str] = None


class Artifact(BaseModel):
    path: Path
    type: Optional[Literal["spec", "code", "doc", "config"]] = None
    description: Optional[str] = None


class PackageQuestion(BaseModel):
    question: str
    priority: Optional[Level] = None
    context: Optional[str] = None


class Context(BaseModel):
    summary: Annotated[str, StringConstraints(min_length=20)]
    decisions: list[Decision] = []
    artifacts: list[Artifact] = []
    open_questions: list[PackageQuestion] = []


class Expectations(BaseModel):
    deliverable: str
    constraints: list[str] = []
    success_criteria: list[str] = []


class Gate(BaseModel):
    type: Literal["blocking", "informing"]
    name: str


class ValidationRequest(BaseModel):
    items: list[str] = []
    options: dict[str, str] = {}


class WorkflowState(BaseModel):
    name: Optional[str] = None
    current_step: Optional[Annotated[int, Field(ge=1)]] = None
    completed_steps: list[str] = []
    remaining_steps: list[str] = []


class PackageHandoff(BaseModel):
    id: str
    timestamp: datetime
    from_: Annotated[Sender, Field(alias="from")]
    to: Receiver
    context: Context
    expectations: Optional[Expectations] = None
    gate: Optional[Gate] = None
    validation_request: Optional[ValidationRequest] = None
    workflow_state: Optional[WorkflowState] = None


class Package(BaseModel):
    handoff: PackageHandoff


MODELS = {"stage": Stage, "summary": Summary, "task": Task, "package": Package}
FENCE = "```yaml\n"


def extract(text: str, dialect: str) -> str:
    if dialect == "package":
        return text
    if dialect == "stage":
        return text[4 : text.index("\n---\n", 3)]
    start = text.index(FENCE) + len(FENCE)
    return text[start : text.index("\n```", start)]


def judge(folder: str) -> dict:
    answer = {"documents": 0, "bytes": 0, "invalid": []}
    for part in os.scandir(folder):
        for entry in os.scandir(part.path):
            dialect = entry.name.split(".")[1]
            with open(entry.path, "rb") as file:
                data = file.read()
            answer["documents"] += 1
            answer["bytes"] += len(data)
            try:
                content = yaml.load(extract(data.decode(), dialect), Loader=yaml.CSafeLoader)
                MODELS[dialect].model_validate(content)
            except (ValidationError, yaml.YAMLError):
                answer["invalid"].append(f"{part.name}/{entry.name}")
    return answer


if __name__ == "__main__":
    json.dump(judge(sys.argv[1]), sys.stdout)
