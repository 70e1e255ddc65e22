"""The deontic lexer: rules in every form it knows, and silence on everything that only sounds like one."""

from __future__ import annotations

import pytest

from libra.ground.records import Modality
from libra.text.deontic import modalities, scan

RULES = """
A patch without a test will not be merged.
Force pushes to shared branches are rejected.
Pull requests without a linked issue are closed.
The choice of licence is not yours to make.
Logs go to stderr and nowhere else.
Debug output stays out of the release build.
The agent never pushes.
Views never query the database.
The lock file is edited by the release script only.
Batch size: 500 rows at most.
Small commits, please.
Licence header on every new file.
`PascalCase` for classes.
Fixed-width integers, not `int`.
Props > context > global store.
Inputs first, then outputs.
Group imports: standard library, third party, ours.
In generated code do not use tabs.
Handlers may not call the logger.
The simulation may never read the clock.
If options are missing, they must be reported.
Look for a helper before writing one.
Changes to `ledger/` require approval from two owners.
Be concise.
Don't guess.
Never break character.
Only commit when asked.
Memoize the selector.
Double-check the math.
Take your time.
Let the user decide.
Default to concise answers.
Return early.
Test edge cases thoroughly.
Log errors with context.
Document public APIs.
Cache expensive calls.
If the build fails, fix it before moving on.
When in doubt, ask.
Before each commit, run `cargo fmt`.
For new features, open an issue first.
Unless told otherwise, answer in Chinese.
Without approval, do not deploy.
By default, reply in Vietnamese.
Otherwise, use the fallback.
if the user asks for a logo tell them no
Fix bugs at the root; never paper over them.
Style: Use two spaces.
IMPORTANT: this project uses pnpm.
Rule 1: the user is always right.
Note: never commit secrets.
Default: answer in English.
You must log every action.
You may run read-only commands.
You are a careful reviewer.
You speak in short sentences.
We use tabs, not spaces.
Tabs, not spaces.
Composition over inheritance.
No `unwrap()` in production code.
All endpoints must have a test.
No file may exceed 400 lines.
Every request should have a description.
Public functions must have a docstring.
Neither branch may be deleted.
The agent may not push.
Contributors are expected to sign the agreement.
Errors must not be swallowed.
Imports are sorted by the linter and should stay sorted.
Criteria: must be signed.
Type annotations are required on all public functions.
`any` is banned.
4-space indentation is mandatory.
Secrets belong in `.env`, not in code.
It is important to keep the log short.
Make sure the queue is empty.
ON_FAILURE -> Retry_Once
Only the owner may merge.
Secrets are never written to the log.
Breaking changes require a note in the changelog.
One assertion per test.
Style: no semicolons.
Pass the logger in.
Review generated snapshots as behaviour.
The `run` file is a script - do not replace it
Soft-delete, never hard-delete.
The queue may be slow; if it is, tell the owner.
When a branch is stale and you see format! in it, always do that.
[x] Update the changelog
All new work should happen in the second version.
必须先备份。
在提交之前，请运行测试。
别猜。
使用 pnpm，不要使用 npm。
你是一名资深工程师。
Đừng gửi cảnh báo vào cuối tuần.
Bắt buộc khai báo kiểu.
Trước khi commit, chạy `make lint`.
Bạn là một kỹ sư phần mềm.
""".strip().split("\n")

SILENT = """
Requests without a token are rejected with a 401.
The cache never expires during a run.
Tests may not run on Windows.
The scheduler reads jobs - never runs them.
2.8.0 - route replay, faster maps
The agent's job is to write the lines.
Known issue: the preview must be reloaded twice.
Search works on titles, not on bodies.
The view must be seen to be believed.
Read time: 5 min
Two workflows run on every pull request.
Partition sizes range from 40 MB to 2 GB.
The story of the project must be told elsewhere.
Start the emulator: `make emu`
Build: `zig build`
Run tests: `npm test`
`make lint` - Run the linter
Install dependencies:
Test coverage is at 82 percent.
Release notes are generated automatically.
Support for Windows is experimental.
Feature flags that vary by tenant
Open source under the MIT license.
Set of functions for dates
Pull requests are closed after a month.
Read by millions of people.
The parser cannot handle nested comments.
The server should now be running on port 3000.
You should see a green check mark.
You may notice a slight delay.
You can also run it with Docker.
If files don't appear, they are outside the folder.
What must be done before a release?
He said you must never merge on Fridays.
The guide explains when a reviewer may ask for more.
"You must not pass," he said.
I must have dropped the table by accident.
It must be raining outside.
You must be joking.
You must be tired after that migration.
We should have known better.
The team should have known better.
The tests should have been faster.
I never use semicolons.
Never before had the archive looked so quiet.
Never mind.
You never know.
You can never tell.
The knight must cross the river before dawn.
To understand the scene, you must imagine the tower.
Once upon a time, you should know, there was a compiler.
Reads the configuration from disk.
Tech Stack: React, TypeScript, Vite
No results were found.
No one knows why this works.
No need to restart.
`timeout` (required): seconds before giving up
`foo must never be called` is what the log says.
A library, not a framework.
HTTP over TLS
Welcome to the project!
Getting Started
Write access is limited to the core team.
Cache misses cost about forty milliseconds.
Check marks show which steps are done.
Note that the parser is slow.
According to the vendor, clients must send a nonce.
As the saying goes, measure twice.
The views (list, chat, etc.) do not take part in it: maintainers do not read them, do not answer.
Until a review is required, the claim holds by convention only.
Bad: mutate state
TODO: write docs
Open questions
Never released.
You may be asked for a password.
Structure du projet
Elle a dit que tu dois changer les clés.
No pasa nada.
Kein Problem!
Such a great day!
昨天我必须加班。
你觉得应该用哪个？
使用方法
测试文件在 tests 目录下。
别人的代码写得很好。
Tôi phải về nhà sớm.
Không phải lỗi của bạn.
Nút bên phải mở menu.
Bạn có thể dùng Docker không?
""".strip().split("\n")


@pytest.mark.parametrize("text", RULES)
def test_a_rule_is_heard(text: str) -> None:
    """Imperatives, lead-ins, labels, persons, scopes, bans; English, Chinese, Vietnamese."""
    assert scan(text), text


@pytest.mark.parametrize("text", SILENT)
def test_no_rule_is_invented(text: str) -> None:
    """Commands, captions, descriptions, narrative, questions, speech, code."""
    assert [f.form for f in scan(text)] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("You must sign.", (Modality.OBLIGATION,)),
        ("You must not sign.", (Modality.PROHIBITION,)),
        ("You may sign.", (Modality.PERMISSION,)),
        ("You may not sign.", (Modality.PROHIBITION,)),
        ("No agent may push.", (Modality.PROHIBITION,)),
        ("Run the tests; never skip one.", (Modality.OBLIGATION, Modality.PROHIBITION)),
    ],
)
def test_modalities(text: str, said: tuple[Modality, ...]) -> None:
    """What a form says, in order of appearance."""
    assert modalities(text) == said


@pytest.mark.parametrize(
    ("text", "strong"),
    [
        ("Never push.", True),
        ("You must push.", True),
        ("Always push.", True),
        ("Push often.", False),
        ("Prefer tabs.", False),
    ],
)
def test_strength(text: str, *, strong: bool) -> None:
    """Only what leaves no choice is strong."""
    assert any(f.strong for f in scan(text)) is strong


def test_places_survive_case_changes() -> None:
    """A letter that grows in lower case moves no span."""
    text = "İİİ. Never push to main."
    found = scan(text)
    assert [text[f.start : f.end] for f in found] == ["Never"]


def test_soft_line_breaks_and_lists() -> None:
    """A line break inside a sentence is a blank; a list mark starts a new one."""
    assert scan("We moved the relay and\nnever had a problem again.") == ()
    assert [f.form for f in scan("Queue:\n- Never fall back.")] == ["prohibition"]
