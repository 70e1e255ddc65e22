"""Which things stand in for each other: "we use Postgres" and "we switched to SQLite" fill one slot.

Data only. A thing that is in no row fills no slot, so that nothing unrelated is ever closed by it
(lessons.md C92).
"""

from __future__ import annotations

from types import MappingProxyType

_KINDS: tuple[tuple[str, str], ...] = (
    (
        "database",
        (
            "postgres postgresql sqlite mysql mariadb mongodb mongo cockroachdb dynamodb oracle mssql duckdb cassandra firestore"
            " supabase planetscale neon clickhouse couchdb fauna"
        ),
    ),
    ("cache", "redis memcached valkey dragonfly keydb"),
    ("queue", "rabbitmq kafka nats sqs celery sidekiq pulsar redpanda zeromq bullmq"),
    ("vector store", "pinecone weaviate qdrant milvus chroma chromadb lancedb faiss pgvector sqlite-vec"),
    (
        "frontend framework",
        "react vue svelte angular solid preact ember htmx astro sveltekit nextjs next.js nuxt remix",
    ),
    (
        "web framework",
        "django flask fastapi rails express nestjs spring laravel gin actix axum phoenix koa hono starlette",
    ),
    ("package manager", "npm yarn pnpm bun pip poetry uv pipenv conda pdm cargo hatch rye"),
    ("build tool", "webpack vite rollup esbuild parcel turbopack gradle maven bazel make cmake ninja meson"),
    ("test framework", "pytest unittest jest vitest mocha jasmine cypress playwright selenium junit rspec"),
    ("linter", "eslint ruff flake8 pylint biome tslint golangci-lint clippy"),
    ("formatter", "black prettier gofmt rustfmt yapf autopep8 clang-format"),
    ("type checker", "mypy pyright pyre pytype flow"),
    (
        "editor",
        "vim neovim nvim emacs vscode sublime pycharm intellij webstorm zed cursor helix nano notepad++ eclipse",
    ),
    ("shell", "bash zsh fish powershell nushell"),
    ("operating system", "linux ubuntu debian fedora arch macos windows nixos alpine freebsd mint"),
    (
        "cloud",
        "aws gcp azure heroku vercel netlify fly.io digitalocean hetzner render railway cloudflare linode",
    ),
    ("orchestrator", "kubernetes k8s nomad swarm docker-compose ecs k3s"),
    ("container engine", "docker podman containerd"),
    ("ci", "jenkins circleci travis buildkite github-actions gitlab-ci teamcity drone"),
    ("code host", "github gitlab bitbucket gitea forgejo codeberg sourcehut"),
    (
        "language",
        "python javascript typescript go golang rust java kotlin swift ruby php c# c++ scala elixir haskell zig clojure",
    ),
    ("orm", "sqlalchemy prisma typeorm sequelize drizzle hibernate gorm peewee"),
    ("styling", "tailwind bootstrap sass scss styled-components emotion bulma"),
    ("browser", "chrome firefox safari edge brave opera vivaldi"),
    ("chat tool", "slack discord teams mattermost zulip telegram"),
    ("tracker", "jira linear trello asana notion clickup youtrack"),
    ("indentation", "tabs spaces"),
    ("theme", "dark-mode light-mode"),
    ("quotes", "single-quotes double-quotes"),
    ("api style", "rest graphql grpc trpc soap"),
    ("drink", "coffee tea"),
    ("diet", "vegetarian vegan pescatarian omnivore"),
)

KIND_OF: MappingProxyType[str, str] = MappingProxyType(
    {thing: kind for kind, things in _KINDS for thing in things.split()}
)
"""Thing in lower case, words joined by a hyphen → the kind of slot that it fills."""

_ATTRIBUTES = (
    "name nickname surname email e-mail mail address phone number birthday age pronouns job profession title role employer"
    " timezone zone language color hobby food dish drink film movie song band book game sport animal city country hometown"
    " host hostname server port url domain endpoint ip path folder directory branch repo repository database backend bucket"
    " region version release license licence password hint key id username user login token limit timeout ttl threshold budget"
    " price cost salary rate size length count quota deadline date day time schedule start end owner maintainer lead manager"
    " boss editor shell terminal browser theme font framework style convention default format encoding tool manager"
    " environment cluster registry model engine provider vendor plan tier status location office doctor dentist bank wifi"
    " ssid car bike team codename channel repo capital currency"
)
ATTRIBUTES: frozenset[str] = frozenset(_ATTRIBUTES.split())
"""Nouns that have one value at a time for one owner: another value contradicts the first."""


def kind_of(thing: str) -> str | None:
    """Return the kind of slot that ``thing`` fills, or None if it is not known to fill one.

    Args:
        thing: A name in lower case; "dark mode" and "dark-mode" are the same.
    """
    return KIND_OF.get("-".join(thing.split()))
