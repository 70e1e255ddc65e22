"""What is a file path in running text, and what only has a slash in it."""

from __future__ import annotations

import re
from typing import Final

EXTENSIONS: Final = (
    "py|pyi|pyx|js|jsx|ts|tsx|mjs|cjs|go|rs|rb|java|kt|kts|c|h|cc|cpp|cxx|hpp|cs|swift|m|mm|php|pl|lua|r|jl|sh|bash|zsh|fish|ps1|bat|cmd|"
    "md|mdx|mdc|rst|txt|adoc|json|jsonl|json5|jsonc|yaml|yml|toml|ini|cfg|conf|env|lock|xml|html|htm|css|scss|sass|less|vue|svelte|astro|"
    "sql|db|sqlite|sqlite3|csv|tsv|parquet|log|proto|graphql|tf|tfvars|hcl|gradle|cmake|mk|ipynb|onnx|gguf|zip|gz|tgz|tar|zst|bz2|xz|whl|pdf|png|jpg|jpeg|gif|svg|webp|ico|"
    "mp3|mp4|wav|ex|exs|erl|hs|ml|scala|clj|dart|nim|zig|odin|sol|wasm|so|dll|exe|dylib|dmg|deb|rpm|service|plist|patch|diff|bak|pem|key|crt|tmpl|tpl|j2|spec|d"
)
_ROOTS: Final = (
    "src|lib|libs|app|apps|test|tests|spec|docs|doc|bin|etc|usr|var|opt|home|tmp|dev|proc|root|mnt|srv|internal|pkg|cmd|packages|node_modules|vendor|dist|build|target|scripts|tools|config|configs|"
    "assets|static|public|templates|migrations|server|client|api|core|components|pages|models|views|controllers|services|handlers|middleware|examples|bench|data|k8s|deploy|infra|terraform|charts|Users|Library|Program"
)
_SEGMENT: Final = r"[\w.@+{}\[\]~-]{1,80}"
PATH: Final = re.compile(
    rf"(?<![\w.@/\\~:<$-])(?:"
    rf"(?:~|\.{{1,2}})?/(?:{_SEGMENT}/){{0,20}}{_SEGMENT}/?"
    rf"|[A-Za-z]:[\\/](?:[\w. @+()-]{{1,60}}[\\/]){{0,20}}[\w.@+-]{{1,80}}"
    rf"|(?:{_SEGMENT}/){{1,20}}(?:{_SEGMENT})?"
    rf"|\.(?:env|gitignore|gitattributes|dockerignore|editorconfig|bashrc|zshrc|profile|npmrc|nvmrc|eslintrc|prettierrc|pre-commit-config)(?:\.\w{{1,20}}){{0,2}}"
    rf"|[\w@+-][\w.@+-]{{0,78}}\.(?:{EXTENSIONS})"
    rf"|(?:Makefile|Dockerfile|Jenkinsfile|Procfile|Gemfile|Vagrantfile|Rakefile|CMakeLists\.txt)"
    rf")(?::\d{{1,7}}(?:[:-]\d{{1,7}})?)?(?![\w\\])"
)
_WITH_EXTENSION: Final = re.compile(rf".*[\w\])}}-]\.(?:{EXTENSIONS})(?::\d+(?:[:-]\d+)?)?\Z", re.IGNORECASE)
_ROOTED: Final = re.compile(rf"(?:\./|\.\./)?(?:{_ROOTS}|\.[a-z][\w-]{{1,30}})/\S")
_WORDY: Final = re.compile(r"[A-Za-z]+(?:/[A-Za-z]+)+/?\Z")
_NUMBERS: Final = re.compile(r"[\d/.,:%$€-]+\Z")
_NOT_FILES: Final = frozenset(
    "e.g i.e node.js vue.js next.js react.js express.js d3.js three.js nuxt.js asp.net p.m a.m socket.io ph.d u.s.c b.c".split()
)
_PLAIN_DOTTED: Final = re.compile(
    r"[A-Za-z]{1,12}\.(?:c|d|h|m|r|go|so|key|env|spec|log|db|lock|key|cs|pl|ex|service|target)\Z"
)


def is_path(text: str) -> bool:
    """Return True for a path, False for "and/or", "24/7", "TCP/IP", "Node.js", "3/4" and a dropped blank ("end.So")."""
    bare = re.sub(r"(?::\d+(?:[:-]\d+)?)\Z", "", text)
    lower = bare.lower()
    if lower in _NOT_FILES or _NUMBERS.match(bare) or len(bare) < 3:
        return False
    if bare.startswith(("~/", "./", "../")) or re.match(r"[A-Za-z]:[\\/]", bare):
        return True
    if _WITH_EXTENSION.match(bare):
        return not (_PLAIN_DOTTED.match(bare) and bare.split(".")[0].lower() in _COMMON_WORDS)
    if bare.startswith("/"):
        return (
            _ROOTED.match(bare[1:]) is not None
            or bare.count("/") >= 3
            or (bare.count("/") >= 2 and re.search(r"[._\d-]", bare) is not None)
        )
    if "/" in bare:
        if _WORDY.match(bare):
            return (
                _ROOTED.match(bare) is not None
                and bare.count("/") >= 1
                and bare.split("/")[0].islower()
                and not lower.startswith(
                    ("client/server", "server/client", "dev/", "test/staging", "build/test", "data/code")
                )
            )
        return _ROOTED.match(bare) is not None or (
            bare.count("/") >= 2 and re.search(r"[._]", bare) is not None
        )
    return bare.startswith(".") or bare[0].isupper()


_COMMON_WORDS: Final = frozenset(
    "so then the end it go way that this now here there one two log key no yes be do we me us in on at is to of and or but lets".split()
)
