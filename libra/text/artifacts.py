"""Technical artifacts in a text: paths, error codes, hashes, definitions, commands. Strict about prose.

"and/or" is no path, "in 2024" no error code, "I have 500 ideas" no HTTP status, "main" alone no git
reference, "type" and "class" as plain words no definitions (memory model §4).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from libra.text.filepaths import PATH, is_path


class ArtifactKind(StrEnum):
    """What an artifact is."""

    CODE_FENCE = "code_fence"
    STACK_TRACE = "stack_trace"
    FUNCTION_DEF = "function_def"
    SHELL = "shell"
    URL = "url"
    """A URL, or an HTTP method with a path."""
    PATH = "path"
    HASH = "hash"
    ERROR_CODE = "error_code"
    GIT_REF = "git_ref"
    FUNC_REF = "func_ref"
    VERSION = "version"
    NUMBER_UNIT = "number_unit"
    NAME = "name"
    """snake_case, camelCase, CONSTANT_CASE and dotted names."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """One artifact; ``start`` and ``end`` are code point offsets, ``text`` is what stands there."""

    kind: ArtifactKind
    text: str
    start: int
    end: int


_FENCE: Final = re.compile(r"^[ \t>]*(?P<f>`{3,}+|~{3,}+)[^\n`]*+\n", re.MULTILINE)

_TRACE: Final = re.compile(
    r"Traceback \(most recent call last\):(?:\n(?:[ \t][^\n]*|[A-Za-z_][\w.]{0,80}(?:Error|Exception|Exit|Interrupt|Warning)\b[^\n]*)){1,200}"
    r"|(?:^[^\n]{0,300}\n)??(?:^[ \t]{1,8}at [\w$.<>\[\] /\\:-]{1,200}\([^()\n]{1,300}\)[^\n]{0,40}(?:\n|\Z)){1,200}"
    r"|(?:^[ \t]{1,8}at [^\s()]{1,300}:\d{1,7}:\d{1,7}(?:\n|\Z)){1,200}"
    r"|^goroutine \d{1,9} \[[^\]\n]{1,80}\]:(?:\n[^\n]{1,300}){1,40}"
    r"|^thread '[^'\n]{1,80}' panicked at [^\n]{1,300}"
    r"|(?:^[ \t]{0,8}File \"[^\"\n]{1,300}\", line \d{1,7}(?:, in [^\n]{1,120})?(?:\n|\Z)(?:[ \t]{4,}[^\n]*(?:\n|\Z)){0,3}){1,100}",
    re.MULTILINE,
)
_FUNCTION_DEF: Final = re.compile(
    r"^[ \t]*(?:(?:export|default|public|private|protected|static|async|final|abstract|pub(?:\([^)\n]{1,20}\))?|unsafe|inline|extern|override|suspend|virtual|const)[ \t]+){0,5}"
    r"(?:def[ \t]+\w{1,80}[ \t]*\([^\n]{0,300}|class[ \t]+[A-Z_]\w{0,80}[ \t]*(?:[:({<]|extends\b|implements\b)[^\n]{0,200}"
    r"|function[ \t]*\*?[ \t]*\w{0,80}[ \t]*\([^\n]{0,200}|func[ \t]+(?:\([^()\n]{1,80}\)[ \t]*)?\w{1,80}[ \t]*[\[(][^\n]{0,200}|fn[ \t]+\w{1,80}[ \t]*[<(][^\n]{0,200}"
    r"|(?:struct|enum|trait|impl|interface)[ \t]+[A-Z]\w{0,80}(?:[ \t]*<[^<>\n]{1,60}>)?[ \t]*(?:for[ \t]+\w{1,80}[ \t]*)?\{[^\n]{0,100}|type[ \t]+[A-Z]\w{0,80}[ \t]*(?:=|struct\b|interface\b)[^\n]{0,100}"
    r"|(?:const|let|var)[ \t]+\w{1,80}[ \t]*(?::[^=\n]{1,80})?=[ \t]*(?:async[ \t]*)?(?:\([^()\n]{0,200}\)|\w{1,60})[ \t]*(?::[^=\n]{1,60})?=>[^\n]{0,100}"
    r"|(?:void|int|bool|char|double|float|String|auto|size_t|uint\d{1,2}_t)[ \t]+\*?\w{1,80}\([^()\n]{0,200}\)[ \t]*\{[^\n]{0,100}"
    r"|CREATE[ \t]+(?:TABLE|INDEX|VIEW|FUNCTION|TRIGGER)\b[^\n]{1,200})",
    re.MULTILINE,
)
_PROGRAM: Final = (
    r"git|npm|npx|pnpm|yarn|bun|node|deno|python3?|pip3?|pipx|poetry|uv|uvx|pytest|ruff|mypy|tox|cargo|rustc|rustup|go|make|cmake|ninja|gcc|g\+\+|clang|docker|docker-compose|podman|kubectl|helm|terraform"
    r"|ansible|aws|gcloud|az|curl|wget|ssh|scp|rsync|tar|unzip|gzip|grep|rg|sed|awk|find|xargs|cat|ls|cd|cp|mv|rm|mkdir|chmod|chown|ln|ps|kill|top|df|du|systemctl|journalctl|service|sudo|apt|apt-get|brew|dnf|yum|pacman"
    r"|psql|mysql|sqlite3|redis-cli|mongo|jq|tmux|screen|export|source|echo|bash|sh|zsh|pwsh|openssl|nginx|gh|glab|java|javac|mvn|gradle|dotnet|ruby|bundle|rake|rails|php|composer|perl|swift|xcodebuild|flutter|dart|zig|odin|just|task|libra|claude|codex|openclaw"
)
_SHELL: Final = re.compile(
    rf"^[ \t]*(?:\$|%|❯|➜|PS [^>\n]{{0,60}}>|[\w.-]{{1,40}}@[\w.-]{{1,40}}:[^\s$#\n]{{0,80}}[$#])[ \t]+(?P<prompted>[a-z./~][^\n]{{1,300}})"
    rf"|`(?P<quoted>(?:sudo[ \t]+)?(?:{_PROGRAM})[ \t]+[^`\n]{{1,200}})`"
    rf"|^[ \t]*(?P<bare>(?:sudo[ \t]+)?(?:{_PROGRAM})[ \t]+(?:[^\n]{{0,200}}[ \t])??(?:--?[a-zA-Z][\w-]{{0,40}}\b|\|[ \t]*\w|&&|[12]?>{{1,2}}[ \t]*\S|\./|[\w.-]+/[\w./-]+|[\w-]+\.(?:py|js|ts|sh|rs|go|sql|json|ya?ml|toml|txt|md)\b)[^\n]{{0,200}})"
    r"|(?<![\w`/.-])(?P<inline>(?:git (?:add|am|bisect|blame|branch|checkout|cherry-pick|clone|commit|diff|fetch|init|log|merge|pull|push|rebase|reset|restore|revert|rm|show|stash|status|switch|tag|worktree)\b(?:[ \t]+(?:--?[\w=-]+|HEAD\S{0,20}|origin/?\S{0,60}|[\w./-]+\.\w+)){1,6}|(?:npm|pnpm|yarn|bun) (?:install|run|ci|test|publish|add|exec) [\w@./:-]+|(?:pip|pip3|uv|brew|apt|apt-get|cargo|go) (?:install|add|run|test|build|get) [\w@./\[\]=-]+|docker (?:run|build|compose|exec|ps|pull|push|logs) \S+|kubectl (?:get|apply|describe|logs|delete|exec|rollout) \S+))",
    re.MULTILINE,
)
_URL: Final = re.compile(
    r"(?<![\w@])(?:[a-zA-Z][a-zA-Z0-9+.-]{1,15}://[^\s<>\"'`，。；、）】]{2,500}|(?:localhost|(?:\d{1,3}\.){3}\d{1,3}):\d{2,5}(?:/[^\s<>\"'`]{0,200})?|www\.[\w-]{1,60}\.[^\s<>\"'`]{2,200})"
    r"|(?<!\w)(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ \t]+/[\w./{}:?&=%~-]{0,200}"
)
_UUID: Final = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_HASH: Final = re.compile(
    rf"(?<![\w-])(?:{_UUID}|0x[0-9a-fA-F]{{4,64}}|(?:sha(?:1|256|512)|md5)[:=][0-9a-fA-F]{{8,128}}"
    r"|(?=[0-9a-f]{0,127}[0-9])(?=[0-9a-f]{0,127}[a-f])[0-9a-f]{7,128}|(?=[0-9A-F]{0,127}[0-9])(?=[0-9A-F]{0,127}[A-F])[0-9A-F]{16,128})(?![\w-])"
)
_HASH_WORD: Final = re.compile(r"\d{1,6}[a-f]{1,2}\Z|\d+e\d+\Z")
ERRNO: Final = (
    "ACCES|ADDRINUSE|ADDRNOTAVAIL|AGAIN|BADF|BUSY|CONNABORTED|CONNREFUSED|CONNRESET|EXIST|FAULT|FBIG|HOSTUNREACH|INTR|INVAL|IO|ISDIR|LOO"
    "P|MFILE|NAMETOOLONG|NETUNREACH|NOENT|NOMEM|NOSPC|NOSYS|NOTCONN|NOTDIR|NOTEMPTY|NOTFOUND|PERM|PIPE|RESOLVE|ROFS|TIMEDOUT|TIMEOUT|XDEV"
)
"""POSIX error names without their E."""
_ERROR: Final = re.compile(
    r"(?<![\w.])(?:[A-Z][A-Za-z0-9]{1,60}(?:Error|Exception|Warning|Fault|Panic)|(?:[A-Z][A-Za-z]+)?(?:KeyboardInterrupt|StopIteration|SystemExit|SIGSEGV|SIGKILL|SIGTERM|SIGABRT|SIGBUS|SIGPIPE))(?!\w)"
    rf"|(?<!\w)(?:E(?:{ERRNO})|ERR_[A-Z0-9_]{{2,60}}|[A-Z]{{2,20}}_ERR(?:OR)?(?:_[A-Z0-9]{{1,30}}){{0,4}}|SQLITE_[A-Z_]{{2,40}}|[A-Z]{{2,10}}_[A-Z_]{{2,40}}_(?:FAILED|ERROR|DENIED|EXCEEDED|TIMEOUT))(?!\w)"
    r"|(?<!\w)(?:error|errno|exit(?:ed)?(?: with)?(?: code| status)?|return code|exit code|status code|http(?: status)?|http/\d(?:\.\d)?|code|response code)[ \t]*[:=#(]?[ \t]*(?:-?\d{1,5}|0x[0-9a-fA-F]{1,8})(?![\w%]|[.,]\d)(?=[^\n]|\Z)"
    r"|(?<!\w)(?:(?:returns?|returned|returning|got|gets?|getting|gave|gives|throws?|threw|with|an?|responds? with|responded with|answers?|answered)[ \t]+(?:an?[ \t]+)?(?:HTTP[ \t]+)?)(?:4(?:0[0-9]|1[0-8]|2[1-689]|31|51)|5(?:0[0-8]|1[01]))(?:s\b|\b)(?=[ \t]*(?:[.,;:!?)\n]|\Z|error|status|response|from|on|when|for|because|with|after|instead|if|and|but|in|at|to|page|code|Not\b|Internal|Bad\b|Forbidden|Unauthorized|Service|Gateway|Too\b|Conflict|Unprocessable))(?![ \t]+(?:ideas|people|users|items|lines|files|rows|records|days|dollars|words|pages|times|of\b))"
    r"|(?<!\w)(?:4(?:0[0-9]|1[0-8]|2[1-689]|31|51)|5(?:0[0-8]|1[01])) (?:Not Found|Bad Request|Unauthorized|Forbidden|Conflict|Gone|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out|Too Many Requests|Unprocessable (?:Entity|Content)|errors?|responses?|status)\b"
    r"|(?<!\w)(?:(?:TS|CS|ORA-|PGS?|CVE-\d{4}-|RUSTSEC-\d{4}-|MSB|NU|LNK|C|E|W|F|SC|B|S|PLR|RUF|DL|KB|SQLSTATE )\d{3,7})(?![\w-])(?<!\bW2024)(?<!\bF2024)",
    re.IGNORECASE,
)
_CASED_ERROR: Final = re.compile(r"[A-Z]{1,8}|[A-Z]\w*(?:Error|Exception|Warning|Fault|Panic)")
_GIT: Final = re.compile(
    r"(?<![\w/])(?:HEAD(?:[~^]\d{0,4}|@\{\d{1,4}\}){1,4}|HEAD(?= commit| branch|\.\.|\b(?=[^\w]*(?:detached|is at)))|refs/(?:heads|tags|remotes)/[\w./-]{1,100}|(?:origin|upstream)/[\w./-]{1,100}"
    r"|(?:feature|feat|fix|bugfix|hotfix|release|chore|refactor|dependabot|renovate)/[a-z0-9][\w./-]{1,100}|stash@\{\d{1,4}\}|[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40})"
    r"|(?<!\w)(?:commits?|revision|sha|cherry-pick(?:ed)?|revert(?:ed)?|merge(?:d)?)[ \t]+`?(?P<sha>(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40})`?(?!\w)"
    r"|(?<!\w)(?:PRs?|MR|pull request|merge request|issue|issues|GH)[ \t]?[#!]\d{1,7}(?!\w)|(?<![\w&/#])#\d{2,7}(?!\w)"
    r"|(?<!\w)(?:branch|tag)(?:es|s)?[ \t]+[`'\"](?P<branch>[\w./-]{2,80})[`'\"]|(?<!\w)[`'\"](?P<branch2>[\w./-]{2,80})[`'\"][ \t]+branch(?!\w)|(?<!\w)(?:main|master|develop|dev|trunk|staging|production)[ \t]+branch(?!\w)|(?<!\w)(?:on|to|from|into|onto|off|against)[ \t]+branch[ \t]+(?P<branch3>[\w./-]{2,80})",
)
_FUNC_REF: Final = re.compile(
    r"(?<![\w.$])(?:[A-Za-z_$][\w$]{0,60}(?:\.|::|->)){0,6}[A-Za-z_$][\w$]{1,60}\(\)"
    r"|(?<![\w.$])(?:[A-Za-z_$][\w$]{0,60}(?:\.|::|->)){1,6}[A-Za-z_$][\w$]{1,60}\((?=[^\s)])[^()\n]{0,120}\)"
    r"|(?<![\w.$])[a-z_][\w$]{0,60}(?:_\w+|[a-z][A-Z]\w*)\((?=[^\s)])[^()\n]{0,120}\)"
    r"|(?<![\w$])[A-Za-z_$][\w$]{1,60}(?:::[A-Za-z_$][\w$]{1,60}){1,6}"
)
_VERSION: Final = re.compile(
    r"(?<![\w.-])(?:v\d{1,4}(?:\.\d{1,5}){0,3}|\d{1,4}\.\d{1,5}\.\d{1,5})(?:-[a-z]{1,10}\.?\d{0,4})?(?![\w]|\.\d)"
)
_UNIT: Final = re.compile(
    r"(?<![\w.])[<>≤≥~±]?[ \t]?\d[\d_,]{0,15}(?:\.\d{1,8})?[ \t]?(?:%|‰|(?:ns|µs|us|ms|s|sec|secs|seconds?|min|mins|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|B|KB|MB|GB|TB|PB|KiB|MiB|GiB|TiB|kB|bytes?|bits?|Kbps|Mbps|Gbps|kbit|MB/s|GB/s"
    r"|Hz|kHz|MHz|GHz|px|pt|em|rem|dpi|fps|rpm|rps|qps|req/s|tps|tokens?|k tokens|rows?|lines?|requests?|threads?|cores?|workers?|connections?|retries|attempts|vCPUs?|CPUs?|°C|°F|kg|g|mg|km|m|cm|mm|mi|ft|in|lb|lbs|oz|kWh|W|kW|MW|V|mV|A|mA|USD|EUR|dollars?|euros?|x|×)(?![\w/]))"
    r"|[$€£¥₫]\d[\d,]{0,15}(?:\.\d{1,2})?[kKmMbB]?(?!\w)"
    r"|(?<!\w)(?:port|ports)[ \t]+\d{2,5}(?!\w)"
)
_NAME: Final = re.compile(
    r"(?<![\w./@-])(?:_{0,2}[A-Za-z][A-Za-z0-9]{0,60}(?:_[A-Za-z0-9]{1,60}){1,12}_{0,2}|[a-z]{1,40}\d{0,4}(?:[A-Z][a-z0-9]{1,40}){1,8}|(?:[A-Z][a-z0-9]{1,40}){2,8}"
    r"|[A-Za-z_][\w]{0,60}(?:\.[A-Za-z_][\w]{1,60}){1,6})(?![\w/@-])"
)
BRANDS: Final = frozenset(
    """github gitlab youtube linkedin javascript typescript openai whatsapp paypal facebook powerpoint postgresql mysql mongodb graphql iphone ipad
    macbook imac ebay airpods devops wifi onedrive dropbox playstation icloud ios macos wordpress mcdonald mcdonalds macdonald chatgpt""".split()
)
_DOTTED_PROSE: Final = re.compile(r"(?:[a-z]\.){1,4}[a-z]?\Z|[A-Za-z]+\.[A-Z][a-z]+\Z")

_LONGEST: Final = 100_000
"""Characters looked at: a longer paste says the same things over and over."""

_TABLE: Final = (
    (ArtifactKind.STACK_TRACE, _TRACE),
    (ArtifactKind.URL, _URL),
    (ArtifactKind.SHELL, _SHELL),
    (ArtifactKind.FUNCTION_DEF, _FUNCTION_DEF),
    (ArtifactKind.PATH, PATH),
    (ArtifactKind.GIT_REF, _GIT),
    (ArtifactKind.HASH, _HASH),
    (ArtifactKind.ERROR_CODE, _ERROR),
    (ArtifactKind.FUNC_REF, _FUNC_REF),
    (ArtifactKind.VERSION, _VERSION),
    (ArtifactKind.NUMBER_UNIT, _UNIT),
    (ArtifactKind.NAME, _NAME),
)
_INSIDE: Final = frozenset(
    {ArtifactKind.CODE_FENCE, ArtifactKind.SHELL, ArtifactKind.FUNCTION_DEF, ArtifactKind.STACK_TRACE}
)
"""Kinds that hold other artifacts, which are found inside them, too."""


def artifacts(text: str) -> list[Artifact]:
    """Return the artifacts of ``text`` in order; within one place the more specific kind wins.

    Source: memory-model.md §4.
    """
    text = text[:_LONGEST]
    out = _fences(text)
    taken = bytearray(len(text))
    for kind, pattern in _TABLE:
        for match in pattern.finditer(text):
            found = _judge(kind, match)
            if found is None:
                continue
            if kind in _INSIDE:
                out.append(found)
            elif not any(taken[found.start : found.end]):
                taken[found.start : found.end] = b"\1" * (found.end - found.start)
                out.append(found)
    return sorted(out, key=lambda a: (a.start, -a.end, a.kind.value))


def _fences(text: str) -> list[Artifact]:
    """Return the fenced code blocks; one without an end reaches to the end."""
    out: list[Artifact] = []
    at = 0
    while match := _FENCE.search(text, at):
        close = re.compile(rf"^[ \t>]*{re.escape(match.group('f'))}[`~]*[ \t]*$", re.MULTILINE).search(
            text, match.end()
        )
        end = close.end() if close else len(text)
        out.append(Artifact(ArtifactKind.CODE_FENCE, text[match.start() : end], match.start(), end))
        at = end
    return out


def _judge(kind: ArtifactKind, match: re.Match[str]) -> Artifact | None:
    """Return the artifact of a match, or None if a second look says that it is prose."""
    raw = match.group()
    start = match.start()
    if kind is ArtifactKind.SHELL:
        name = match.lastgroup or ""
        raw, start = match.group(name), match.start(name)
    shown = raw.strip()
    start += len(raw) - len(raw.lstrip())
    if kind in (ArtifactKind.URL, ArtifactKind.PATH):
        shown = shown.rstrip(".,;:!?)]}>'\"*")
    good = {
        ArtifactKind.PATH: lambda: is_path(shown),
        ArtifactKind.HASH: lambda: _HASH_WORD.match(shown) is None,
        ArtifactKind.ERROR_CODE: lambda: _is_error(shown) and not _is_room(match),
        ArtifactKind.NAME: lambda: shown.lower() not in BRANDS and _DOTTED_PROSE.match(shown) is None,
    }.get(kind)
    if not shown or (good is not None and not good()):
        return None
    return Artifact(kind, shown, start, start + len(shown))


_LETTER_CODE: Final = re.compile(r"[A-Z]\d{3,7}")
_LINT: Final = re.compile(
    r"error|warning|lint|flake8|ruff|noqa|rustc|msvc|compiler|[\w/\\.-]+:\d+:\d+|\[\Z|`\Z", re.IGNORECASE
)
_NEAR_CHARS: Final = 60


def _is_room(match: re.Match[str]) -> bool:
    """Return True if one letter with figures stands where nothing speaks of a linter or compiler: "room C301", an F150."""
    if _LETTER_CODE.fullmatch(match.group().strip()) is None:
        return False
    start, end = match.span()
    before = match.string[max(0, start - _NEAR_CHARS) : start]
    return _LINT.search(before) is None and _LINT.search(match.string[end : end + _NEAR_CHARS]) is None


def _is_error(text: str) -> bool:
    """Return True unless a case-insensitive match is an ordinary word in lower case ("my error", "terror")."""
    if any(ch.isdigit() for ch in text):
        head = re.match(r"[A-Za-z-]+(?=\d)", text)
        return head is None or head.group().isupper()
    return _CASED_ERROR.match(text) is not None and (
        text.isupper() or (text[:1].isupper() and text[1:] != text[1:].lower())
    )
