"""Technical talk without an artifact in it: words of the trade, counted once each, with points.

"the unit tests fail since the last merge" names no path and no command, and is technical all the same, while
"he threw an exception to the rule" is not, whatever its words. So no word that people use otherwise decides alone:
words have one, two or four points, and a text needs three.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from libra.text.artifacts import Artifact, ArtifactKind

_ENOUGH: Final = 3
_ENOUGH_OF_TRADE: Final = 4
"""Everyday words alone need one more."""
_CHARS: Final = 8000
"""What is looked at of a turn: who talks shop does so from the start (lessons.md C67)."""

_CERTAIN: Final = frozenset(
    """
    alembic ansible api api-key apis aria-label async asyncio autocomplete autoscaler autoscaling awk backend backends backoff base64 bash bisect
    bitbucket boilerplate boolean booleans bytecode callback callbacks celery-worker changelog chmod chown ci clang cli cmake codebase codegen
    codepath compiler compilers conda configmap constexpr constructor coroutine coroutines cors crud csrf css ctf cuda curl daemonset dataclass
    dataframe dataloader datenbank deadlock debian debounce dedupe deduplicate deserialize deserializer django dns dockerfile docstring docstrings
    dropdown ec2 elasticsearch embeddings endpoint endpoints enum enums epoll errno eslint fastapi ffi ffmpeg firmware flask formatter frontend
    frontends fsck gcc gdb github gitignore gitlab golang goroutine goroutines gpu gradle grafana graphql grep groupby grpc gunicorn healthcheck helm
    hostname hotfix html http https iam ide idempotency idempotent iframe ingress inode inodes intellij ipv4 ipv6 iterator javascript journalctl json
    jsonl jsx junit jwt k8s kotlin kubectl kubernetes kwargs laravel lexer lint linter linters linting linux liveness lldb llm llms localhost lockfile
    lru makefile malloc mariadb maven md5 memcached memoize metadata microservice microservices middleware minified mocha mongodb monorepo mutex
    mutexes mypy mysql namespace navbar neovim nextjs nginx node-gyp nodejs npm npx nullability nullable numpy oauth onnx oom openapi orm pagination
    pandas parser parsers payload payloads pip pnpm polyfill polymorphism postgres postgresql powershell protobuf psql psycopg2 puma pydantic pylint
    pyproject pytest pytorch rabbitmq rds readme redis redux refactor refactored refactoring refactors regex regexes regexp repo repos rerender
    restful rollback rollbacks rspec rsync runtime runtimes rustc rustup rxjs s3 schema schemas schnittstelle scipy scss sdk sed segfault semaphore
    semver serialize serialized serializer serverless sha1 sha256 sha512 sidecar singleton sourcemap sql sqlalchemy sqlite ssh stacktrace stderr stdin
    stdout strace struct structs subclass submodule subnet subprocess sudo superclass svg symlink syscall systemd tarball tcp tensorflow terraform
    timestamp timestamps tls tmux tokeniser tokenizer tokenizers toml tooltip traceback transpiler tsconfig tsx typecheck typechecker typedef typedefs
    typescript typings ubuntu udp unittest unittests upsert upserts urllib utf-8 utf8 uuid uuids uvicorn valgrind venv viewport vim virtualenv vite
    vitest vpc vscode wasm webhook webhooks webpack webserver websocket websockets wget worktree xml xor xored xss yaml zsh zustand
    """.split()
)
_LIKELY: Final = frozenset(
    """
    abfrage abhängigkeit abhängigkeiten algorithm algorithms allocator archivo archivos args argument arguments array arrays artisan asserting auth
    authentication awaits base-de-données batched batching benchmark benchmarks bibliothek blue-green bottleneck branch branche branches breakpoint
    bug bugs bun bundle bundler byte bytes cache cached caching cargo celery cert certs channel-buffer checkpointing checksum cherry-pick client
    closure cluster colonne column columna columns commit commits committed compila compilar compilation compile compiled compiles compiling component
    components composer concurrency config configs configuration connections console consulta container containers contenedor contenedores conteneur
    crackme crashes cron cronjob csp csv daemon daemons database databases dataset datasource datenbanken debounced debug debugger debugging decode
    decoded deno dependencies dependency deploy deployed deployment deploys depuración depurar dereference desplegar despliegue dict dictionary diff
    diffs directories directory disassemble dll docker dom déploiement déployer dépôt dépôts eager-load elf encode encoded encrypt encrypted entorno
    erreurs executable exploit fehlermeldung fehlermeldungen fichier fichiers filesystem firewall fixture fixtures flaky flamegraph fonction
    foreign-key framework función funktion futex gateway generators generic generics getter ghidra git glibc gprof handler handlers hash hashes header
    headers healthz hook hooks hunk hydration indexes indexing indices inheritance injection integer integers interface ioctl isolation-level isort
    journaux jpeg kafka keepalive kernel klasse klassen komponente lambda latency lazy-load ldd libc locking logdatei logging login logs loopback
    ltrace matrix memoized merge merged method methode migration migrations mimetype minify mock mocked mocks module modules multipart multithreaded
    netcat nmap nonce nox null nvm objdump observables one-liner opentelemetry operator operators overflow p95 p99 param parameter parameters params
    parse parsed parses parsing perf pinia pipx png pod pods pointer pointers postmortem primary-key privilege profiler prometheus props proxy pyenv
    qa quadratic quellcode queries query rake rama ramas rate-limit rate-limiter readiness rebase recursion recursive redirects registros regression
    render rendering renders replica replicas repository reproducible requête requêtes retries retry reverse-shell rollout router ruff savepoint
    scheduler schleife scope-creep segfaults selector self-signed server servern servers serveur serveurs servidor setter shard sharding shell sidebar
    sidekiq skript squash ssr stack staging stash stdlib string strings stub stubs stylesheet sudoers suid telemetry template tensor terminal testfall
    testfälle thread threads throttle throughput timeout timeouts timezone token tokenise tokens tombstone transaction transactions transpile
    treeshake tuple turborepo undefined underflow upstream url urlencoded validate validation variable variablen variables vue-router vulnerability
    watchdog webp wildcard wireshark www-data yarn zweig
    """.split()
)
_TRADE: Final = frozenset(
    """
    accessible add address adds allocate android angular app apps arena artifact artifacts assert assertion asserts attribute attributes batch
    behavior behaviour below binary bits block blocks blurry body browser build builds built button canary certificate chart checkpoint child children
    chrome class claude click clients code codes codex connection constant constants cookie cookies coverage cpu crash crashed dashboard data datei
    default dev develop dig disk domain early element elements empty emulator epoch erreur error errors exception exceptions expected expression
    extract fail failed failing fails fallo faster feature features fehler fetch fetches field fields file files firefox fix fixed fixes flag flags
    float focus folder form function functions generator go grammar heap host hosts icon icons id ids image images implement implements import imports
    index inference input inputs inside install installed instance instances instead integration invalid ios iterate java jest job jobs join key keys
    leak leaks level libraries library ligne line lines list lists literal literals lock locks log logged logger lookup loop loops loses línea mac
    macos map maps match matches memory merges methods missing modal model models named nc nested network nil node nodes nx object objects observable
    origin output outputs package packages packet packets page pages parallel parent patch path paths pattern performance pinned pipeline pixel pixels
    plugin poetry pool port ports print prints probe process processes prod profile promise promises properties property pull pulled push pushed px
    python queue rails ram react read reads redirect reinicia release releases remove rename replace reproduce request requests response responses
    restart return returned returns revisa root route routes row rows ruby run running runs rust safari sandbox scaling script scripts sentry service
    services session sessions set sla slow snippet socket sockets sort spa split spring sprint squashed start starts state status stop store stream
    stripped support svelte swift sync system table tableau tables tailwind task tasks templates test tested testing tests ticket tool tools tox
    tracing tree trigger twice type typed types unit unused update updates upgrade uptime urls user users uv value values version versions view views
    vue wal windows worker workers write writes wrong zeile
    """.split()
)
_WORD: Final = re.compile(r"[^\W_]+(?:[-+#][^\W_]+)*[+#]{0,2}")

_SYNTAX: Final = tuple(
    (points, re.compile(pattern, flags))
    for points, flags, pattern in (
        # Identifiers: snake_case, CONSTANT_CASE, camelCase (not iPhone), dotted names of three parts, generics.
        (4, 0, r"(?<![\w@#/])_{0,2}[A-Za-z][A-Za-z0-9]{0,60}(?:_[A-Za-z0-9]{1,60}){1,12}(?![\w@])"),
        (4, 0, r"(?<![\w@.])[a-z]{2,30}[A-Z][a-z][A-Za-z0-9]{0,60}(?![\w@])"),
        (4, 0, r"(?<![\w@.])(?!www\.)[a-z]\w{1,40}(?:\.[A-Za-z]\w{1,40}){2,6}(?!\w)"),
        (4, 0, r"(?<!\w)[A-Z][a-z]{1,30}(?:[A-Z][a-z]{1,30}){2,6}(?!\w)|\b[A-Z]\w{1,40}<[A-Z]\w{1,40}>"),
        (4, re.MULTILINE, r"^\W{0,2}\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\d\d:\d\d:\d\d\S{0,8} \W?(?:ERROR|WARN|INFO|DEBUG|TRACE|FATAL)\b|\b\d+ (?:passed|failed|ignored|skipped)\b[;,]|\btest result\b"),
        # Operators and statements.
        (4, 0, r"\bif ?\(\w|\breturn (?:nil|null|None|true|false|True|False|undefined)\b|\bfor ?\(\w{1,20} "),
        (4, 0, r"(?:^|\s)\.[a-z][\w-]{2,30}(?=[\s.,;]|\Z)(?<!\.net)|(?<![\w-])[a-z]{3,20}-[a-z]{3,20}: [a-z]{3,20}(?=[\s;])|[\"'][\w.-]{1,40}[\"']\s?:\s?(?:true|false|null|\d|[\"'\[{])|[\w-]:(?:first|last|nth|hover|focus|before|after)\b|\w(?:>=|<=|==|~=|\^=)\d|\s(?:===?|!==?|&&|\|\||=>|->|\+=|:=|<<|>>)\s|\w::\w|</?[a-z][\w-]{0,20}(?:\s[\w-]{1,30}=|>)|\$\{\w|\$\(\w|\$[?#@*]|[;{]\s*(?:\n|\Z)"),
        (4, 0, r"\b(?:SELECT\b[^\n]{1,300}\bFROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET|CREATE (?:TABLE|INDEX|VIEW)|ALTER TABLE|DROP TABLE|HAVING count)\b"),
        (4, re.MULTILINE, r"^[^\S\n]*+[\"'][\w.-]{1,60}[\"']\s*:\s*[\[{\"'\dtfn]|^[^\S\n]*+(?:import|from) [\w.{} ,*]{1,80}(?: from ['\"]|\s+import\b|;)|^[\w.-]{1,40}\s*=\s*[\"'\[{(\w]"),
        (2, 0, r"(?<![\w-])--[a-z][\w-]{1,40}(?![\w-])|(?<![\w-])-[a-zA-Z]{1,3}\s+\S|(?<!\w)\w{2,30}=[\w\"'^~/]|<[A-Z]\w{1,30}>"),
        (2, 0, r"\b\d+(?:\.\d+)? ?(?:ms|µs|ns|MB|GB|KB|MiB|GiB|kB|Mbps)\b|\bline \d+\b|\bport \d{2,5}\b|\bv?\d+\.\d+\.\d+\b|\b\d+(?:\.\d+)?x\b"),
        (4, 0, r"\b[A-Z][a-z]{2,15}-[A-Z][a-z]{2,20}[A-Z][A-Za-z]{2,30}\b|(?<![\w.])\+(?:short|x)\b|\s[<>]=\s"),
        # What programs print.
        (4, re.MULTILINE, r"^[^\S\n]*+(?:fatal|error|warning|panic|PANIC|ERROR|WARN|FATAL|Warning|Uncaught \w+|Unhandled \w+|npm ERR!|npm WARN|collect2|make|ld|\w+Error)(?:\[\w{1,20}\])?\s?[:!*]"),
        (4, re.IGNORECASE, r"\bundefined reference\b|\bcore dumped\b|\bindex out of range\b|\bout of memory\b|\bnull pointer\b|\bnon-fast-forward\b|\bpermission denied \(|\bNo such file\b|\bcannot (?:find module|read propert|resolve)|\bis not (?:assignable|defined|a function|callable)\b|\bcommand not found\b|\bHTTP/\d(?:\.\d)?\b|\b\d{3} (?:Bad Gateway|Not Found|Internal Server Error|Forbidden|Unauthorized)\b"),
        (4, 0, r"\b(?:\w{2,40}(?:Error|Exception)|ERR_\w+|E[A-Z]{4,15}|SIG[A-Z]{3,6}|SQLSTATE|Errno)\b(?<!ERROR)"),
        # Two words that mean one technical thing.
        (4, re.IGNORECASE, (r"\b(?:pull|merge) requests?\b|\bmerge conflicts?\b|\b(?:unit|integration|property|regression|smoke|end-to-end|e2e) tests?\b|\btest (?:suite|case|runner|coverage)\b|\brace conditions?\b|\bpre-commit\b|\btype hints?\b|\bcontext manager\b|\bN\+1\b"
            r"|\bstack trace\b|\bheap dump\b|\benv(?:ironment)? var(?:iable)?s?\b|\boff-by-one\b|\bexit (?:code|status) \d|\bdead ?lock\b|\bmemory leak\b|\bgarbage collect|\bsource code\b|\bopen[- ]source\b|\bcode review\b|\bversion control\b|\bnightly build\b|\b(?:the|my|our) build (?:is|fails|broke|passes)\b|\bwar ?game\b|\bcommand line\b|\bdata structure")),
        # What goes wrong on a screen, in a service, in a build; and what is done to it.
        (4, re.IGNORECASE, (r"\b(?:button|form|page|modal|spinner|screen|dialog|tab|list|layout|view|widget)s? (?:jumps?|flickers?|submits?|goes blank|scrolls?|overlaps?|renders?|re-?renders?|freezes?|disappears?|(?:does not|doesn['’]t|should|won['’]t) (?:open|close|scroll|load|respond|render|update))\b"
            r"|\b(?:service|app|container|job|worker|process|board|device|daemon|node|instance)s? (?:crash(?:es|ed)?|restarts?|hangs?|resets?|boots?|keeps? (?:crashing|restarting)|(?:does not|doesn['’]t|won['’]t) (?:start|boot|respond))\b"
            r"|\b(?:tests?|build|pipeline|job|suite) (?:is|are|was|stays?|passes|fails?|failed|goes|went) (?:red|green|broken|flaky|locally|on main|on ci)\b|\brerun\b[^.\n]{0,20}\b(?:failed|tests?|shards?|jobs?)\b"
            r"|\bthis (?:function|class|loop|method|module|column|endpoint|query) (?:does|is|should|returns?|allocates|takes|has|needs)\b|\breturns? (?:null|none|a list|an? (?:int|string|error|empty \w+))\b"
            r"|\b(?:drop|rename|add|remove|alter|truncate|index) (?:the |a |this )?(?:table if|column|field in|index|constraint)\b|\b(?:join|merge) the (?:two )?tables\b"
            r"|\b(?:load balancer|replication lag|learning rate|batch size|validation (?:score|loss)|dark mode|interrupt handler|restore test|drop duplicates|off-heap|late events|dead letter)\b"
            r"|\b(?:drain|cordon|patch|provision|roll back|fail over) the (?:node|host|cluster|instance|pool)\b|\b(?:backfill|quantize|quantise)\b|^nit:|\bnulls\b|\bNaN\b|\b0x[0-9a-f]{2,}\b|\b(?:I2C|SPI|UART|GPIO|int8|fp16|bf16)\b"
            r"|\b(?:freeze|train|fine-?tune|export) the (?:\w+ ){0,3}(?:layers?|head|model|weights)\b|\bin the catch\b|\berror is swallowed\b|\bpin the version\b|\bget rid of the globals?\b"
            r"|\bdienst (?:startet|läuft|stürzt)|\btests? (?:grün|rot)\b|\bconteneur redémarre|\bpage plante\b|\bservicio se cae\b|\b(?:añade|crea) un índice\b|\bindex (?:fehlt|anlegen)\b")),
        (4, re.IGNORECASE, r"构建失败|依赖装|加个?索引|死锁|超时了|接口超时|trang bị trắng|trả về null|hàm này|テストだけ|テストが(?:落|通)|クエリ|インデックス|画面が真っ白"),
        # Chinese, Vietnamese, Japanese.
        (4, 0, r"(?:数据库|单元测试|报错|编译|函数|接口文档|代码|部署到|服务器|内存(?:不够|泄漏|占用)|进程|前端|后端|分支|仓库里|越界|异步|接口返回|看(?:一下)?日志|日志里|脚本|线程|缓存|变量|仓库|提交记录|调试|测试用例|语法错误|这个(?:bug|接口)|字段|参数|线上环境|数据表|索引|正则|内存泄漏|空指针|回滚)"),
        (4, re.IGNORECASE, r"\b(?:cơ sở dữ liệu|biên dịch|mã nguồn|kiểm thử|triển khai lên|báo lỗi|lỗi ở dòng|viết lại truy vấn|chạy test|đoạn code|cấu hình|máy chủ|nhánh (?:main|dev|master)|hàm \w+\()"),
        (4, 0, r"(?:データベース|コンパイル|デプロイ|リファクタ|単体テスト|ソースコード|関数|エラー(?:が|を)|テストを(?:書|実行|直)|変数|スクリプト|サーバー|ログ(?:を|に|が)|ビルド|コミット|例外|引数|ブランチ|プルリク|デバッグ|エラーが出)"),
    )
)  # fmt: skip


_SHOWN: Final = {ArtifactKind.FUNC_REF: 4, ArtifactKind.ERROR_CODE: 4, ArtifactKind.GIT_REF: 2}


def technical_talk(text: str, found: Iterable[Artifact]) -> bool:
    """Return True if a text is technical talk; what occurs often counts once. Linear.

    Args:
        text: A turn.
        found: Its artifacts.
    """
    text = text[:_CHARS]
    words = {word.lower() for word in _WORD.findall(text)}
    trade = len(_stems(words & _TRADE))
    total = 4 * len(words & _CERTAIN) + 2 * len(_stems(words & _LIKELY))
    total += sum(_SHOWN.get(kind, 0) for kind in {a.kind for a in found})
    total += sum(worth for worth, pattern in _SYNTAX if pattern.search(text))
    return total + trade >= (_ENOUGH if total else _ENOUGH_OF_TRADE)


def _stems(words: set[str]) -> set[str]:
    """Return the words without those that are the plural of another."""
    return {word for word in words if not (word.endswith("s") and word[:-1] in words)}
