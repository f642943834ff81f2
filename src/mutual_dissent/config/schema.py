"""The table of settings: name, what is accepted, default, description.

A `*` in a name stands for a name that the user chooses. The reference is made from this table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from mutual_dissent.briefing import kinds
from mutual_dissent.briefing.options import Where, options_for
from mutual_dissent.config.addresses import (
    base_url,
    build_name,
    database_url,
    engine_address,
    listening,
    web_address,
)
from mutual_dissent.config.values import (
    HOTKEY,
    Accepts,
    choice,
    command,
    flag,
    headers,
    hotkey,
    key,
    names,
    number,
    or_word,
    prose,
    signing_secret,
    text,
    whole,
)
from mutual_dissent.core.brief import MAX_PANEL
from mutual_dissent.providers.agents.table import OUTPUTS
from mutual_dissent.providers.endpoints import TABLE
from mutual_dissent.store.database import LEASE

MODES = ("auto", "direct", "openrouter")
QUEUE = "dissent"
"""The task queue of workers, where the file names none."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `default` is what holds without it; None where the description says it."""

    name: str
    accepts: Accepts
    description: str
    default: Any = None
    secret: bool = False

    @property
    def path(self) -> tuple[str, ...]:
        """The tables that lead to it, and its own name."""
        return tuple(self.name.split("."))

    def is_at(self, path: Sequence[str]) -> bool:
        """Return whether this is the setting at that place."""
        return len(path) == len(self.path) and self.leads(path)

    def leads(self, path: Sequence[str]) -> bool:
        """Return whether the place is on the way to this setting."""
        return len(path) <= len(self.path) and all(
            mine in ("*", theirs) for mine, theirs in zip(self.path, path, strict=False)
        )


GONE = {"analyzer": "panelists say themselves how far they agree"}
"""Settings of earlier versions that mean nothing any more, and why."""


def removal_reason(place: Sequence[str]) -> str:
    """Reason why a place of an older file means nothing any more; empty if it never did."""
    tables = {2: ("defaults",), 3: ("presets",)}.get(len(place), ())
    return GONE.get(place[-1], "") if place[0] in tables else ""


def _providers() -> Iterator[Setting]:
    for vendor, row in TABLE.items():
        if row.key_env:
            same = f"The key for {vendor}; {row.key_env} in the environment goes before it."
            yield Setting(f"providers.{vendor}_api_key", key(), same, secret=True)
            short = f"The same as providers.{vendor}_api_key, which goes before it."
            yield Setting(f"providers.{vendor}", key(), short, secret=True)
        where = f"Where {vendor} is reached; {row.base_url_env} in the environment goes before it."
        yield Setting(f"providers.{vendor}_base_url", base_url(), where, row.base_url)


def _defaults() -> Iterator[Setting]:
    for option in options_for(Where.DEFAULTS):
        accepts = accepts_of(option.kind)
        yield Setting(f"defaults.{option.name}", accepts, option.in_file, option.usual)
    formats = text("the name of an output format")
    how = "How results are shown: terminal, json, markdown."
    yield Setting("defaults.output", formats, how, "terminal")
    yield Setting("defaults.save", flag(), "Whether debates are kept.", default=True)


def _presets() -> Iterator[Setting]:
    yield Setting("presets.*.summary", text("a sentence", limit=300), "What it is good for.")
    for option in options_for(Where.PRESETS):
        as_words = f" Each as {option.metavar}." if isinstance(option.kind, kinds.SeatParts) else ""
        about = f"{option.help}{as_words}"
        yield Setting(f"presets.*.{option.name}", accepts_of(option.kind), about)


def accepts_of(kind: kinds.ValueKind) -> Accepts:
    """The values that a setting takes for an option of this kind."""
    match kind:
        case kinds.YesNo():
            return flag()
        case kinds.WholeNumber(low, high):
            return whole(low, high)
        case kinds.RealNumber(low, high, above):
            return number(low, high, above=above)
        case kinds.OrWord(some, word):
            return or_word(accepts_of(some), word)
        case kinds.OneOf(words) | kinds.NameOf(among=words) if words:
            return choice(*words)
        case kinds.NameOf(what):
            return text(f"the name of a {what}")
        case kinds.ModelName(none):
            return text(f"an alias or vendor:model{', or none' if none else ''}")
        case kinds.ModelNames() | kinds.SeatWords() | kinds.SeatParts():
            return names(1, MAX_PANEL)
        case _:
            return prose()


SCHEMA: tuple[Setting, ...] = (
    Setting(
        "api_key",
        key(),
        "The OpenRouter key, as earlier versions wrote it; [providers] goes before it.",
        secret=True,
    ),
    *_providers(),
    Setting(
        "routing.default_mode",
        choice(*MODES),
        "How models are reached: direct if there is a key for it and else by OpenRouter (auto), "
        "or always one of the two.",
        "auto",
    ),
    Setting("routing.*", choice(*MODES), "The same for one alias."),
    Setting(
        "model_aliases.*",
        text(
            "vendor:model, a model id of OpenRouter, or a table with openrouter, direct and vendor"
        ),
        "An alias in one word: `vendor:model` as on a panel, or its OpenRouter id.",
    ),
    Setting("model_aliases.*.openrouter", text("a model id"), "The alias's id at OpenRouter."),
    Setting("model_aliases.*.direct", text("a model id"), "The alias's id at its own vendor."),
    Setting(
        "model_aliases.*.vendor",
        text("the name of a vendor or endpoint"),
        "Who is called directly for the alias.",
    ),
    *_defaults(),
    Setting(
        "endpoints.*.base_url",
        base_url(),
        "Where a further OpenAI-compatible endpoint is reached; its models are NAME:model.",
    ),
    Setting(
        "endpoints.*.key_env",
        text("the name of an environment variable"),
        "The variable that holds its key.",
    ),
    Setting(
        "endpoints.*.api_key",
        key(),
        "Its key; the variable goes before it.",
        secret=True,
    ),
    Setting(
        "endpoints.*.dialect",
        choice("openai-chat", "anthropic", "google"),
        "The wire it speaks.",
        "openai-chat",
    ),
    Setting(
        "endpoints.*.needs_key",
        flag(),
        "Whether it cannot be called without a key. Without it, true if key_env or api_key is set.",
    ),
    Setting(
        "limits.*.concurrency",
        whole(1, 10_000),
        "How many calls to a vendor may be in flight at most. Without it, as many as it turns out "
        "to take; for ollama 4.",
    ),
    Setting(
        "limits.*.per_minute",
        whole(1, 1_000_000),
        "How many calls to a vendor may start in a minute. Without it there is no limit.",
    ),
    Setting(
        "pictures.seen_by",
        names(1, 200),
        "Models that can be shown pictures although their names do not tell: aliases, "
        "`vendor:model`, or vendors for all of theirs.",
    ),
    Setting(
        "pictures.unseen_by",
        names(1, 200),
        "Models that cannot; they are told what is on a picture.",
    ),
    *_presets(),
    Setting("personas.*.instructions", prose(), "What a panelist with this persona is told."),
    Setting(
        "rubrics.*.*",
        prose("a text that says what 1 and 5 mean,"),
        "A dimension that a judge scores under this rubric.",
    ),
    Setting(
        "search.searxng_url",
        base_url(),
        "A SearXNG server to search the web with; its JSON format must be enabled. It may be on "
        "this machine.",
    ),
    Setting(
        "search.tavily_api_key",
        key(),
        "A key for Tavily's search; TAVILY_API_KEY in the environment goes before it. Used where "
        "there is no searxng_url, or it fails.",
        secret=True,
    ),
    Setting(
        "search.brave_api_key",
        key(),
        "A key for Brave's search; BRAVE_API_KEY in the environment goes before it. Used last.",
        secret=True,
    ),
    Setting("search.max_results", whole(1, 20), "How many results a search gives.", 5),
    Setting(
        "search.timeout",
        number(0, 60, above=True),
        "Seconds that a search may take, and a page that is read.",
        10.0,
    ),
    Setting(
        "search.native",
        flag(),
        "Whether vendors that can search by themselves do so, where tools may be used; false has "
        "them use the search that is set up here, if there is one.",
        default=True,
    ),
    Setting(
        "local.threads",
        whole(1, 512),
        "Threads of the embedded model. Without it, the number of cores less one.",
    ),
    Setting(
        "local.busy_machine",
        flag(),
        "Whether the embedded model's threads wait without spinning: slower on an idle machine, "
        "much faster on a busy one.",
        default=False,
    ),
    Setting(
        "local.max_tokens",
        whole(1, 2048),
        "The most tokens of an embedded model's answer, where nothing else is asked for. Without "
        "it, 80 for smollm2 and 400 for others.",
    ),
    Setting("local.temperature", number(0, 2), "The embedded model's sampling temperature.", 0.4),
    Setting(
        "local.parallel",
        whole(1, 16),
        "How many answers an embedded model writes at once; each takes about 95 MB. Without it, "
        "3 for smollm2 and 1 for others.",
    ),
    Setting(
        "server.mode",
        text("the name of a mode"),
        "The mode of POST /api/chat where neither request, conversation nor token names one. "
        "Without it, defaults.mode if that is not reflection, else ranking.",
    ),
    Setting(
        "server.names",
        names(1, 50),
        "Hosts that the server answers for besides 127.0.0.1, localhost and [::1], such as the "
        "name that a proxy passes on; each with its port where the address has one.",
        [],
    ),
    Setting("server.running", whole(1, 10_000), "How many debates the server runs at once.", 64),
    Setting(
        "server.waiting",
        whole(0, 100_000),
        "How many more may wait for their turn; the next one is told to try again later.",
        1000,
    ),
    Setting(
        "server.max_body",
        number(0, 1000, above=True),
        "Megabytes that the body of a request may have.",
        10.0,
    ),
    Setting(
        "server.max_files",
        number(0, 1000, above=True),
        "Megabytes that it may have where files can come with it, in base 64.",
        28.0,
    ),
    Setting("server.max_headers", whole(10, 10_000), "Fields in the head of a request.", 100),
    Setting(
        "server.max_head", whole(4, 1024), "Kilobytes that the head of a request may have.", 64
    ),
    Setting(
        "server.body_timeout",
        number(0, 3600, above=True),
        "Seconds until the body of a request must be there.",
        60.0,
    ),
    Setting(
        "server.idle_timeout",
        number(0, 3600, above=True),
        "Seconds until the head of a request must be there, or the next request.",
        15.0,
    ),
    Setting("server.connections", whole(1, 100_000), "Connections at once.", 2000),
    Setting(
        "server.streams",
        whole(1, 100_000),
        "Answers at once that go on as long as somebody listens, such as live events.",
        1000,
    ),
    Setting(
        "programs.remote",
        flag(),
        "Whether surfaces that others can reach (servers) may seat agent programs, too; your own "
        "command line always may.",
        default=False,
    ),
    Setting("programs.concurrency", whole(1, 64), "How many agent programs run at once.", 4),
    Setting(
        "programs.*.command",
        command(),
        "What is run for cli:NAME, with the prompt on its standard input; {system} stands for a "
        "file with the system text, which goes before the prompt where it is not mentioned. With "
        "output acp, what is run for acp:NAME.",
    ),
    Setting(
        "programs.*.output",
        choice(*OUTPUTS),
        "How what it writes is read: as the JSON of one of the known programs, as text, or as "
        "the Agent Client Protocol (acp). "
        "Without it, a known program's own, else text.",
    ),
    Setting(
        "programs.*.env",
        names(1, 50),
        "Further variables of the environment that it is given; never one that holds a key of "
        "ours.",
    ),
    Setting(
        "desktop.hotkey",
        or_word(hotkey(), "off"),
        "The keys that bring the desktop window to the front from anywhere.",
        HOTKEY,
    ),
    Setting(
        "store.url",
        database_url(),
        "The PostgreSQL database that holds the record, for several machines; MUTUAL_DISSENT_DB in "
        "the environment and the command line go before it. Without it, the record is a file in "
        "the home folder.",
        secret=True,
    ),
    Setting(
        "store.lease",
        number(1, 3600),
        "Seconds of silence after which what a process held on PostgreSQL may be taken over.",
        LEASE,
    ),
    Setting(
        "cluster.engine",
        engine_address(),
        "The engine that deals debates out to workers on many machines; MUTUAL_DISSENT_ENGINE in "
        "the environment and the command line go before it.",
    ),
    Setting(
        "cluster.queue",
        text("a name of at most 200 characters"),
        "The task queue of the workers: one for each record, where several share a namespace.",
        QUEUE,
    ),
    Setting(
        "cluster.tls",
        flag(),
        "Whether the connection to the engine is encrypted; TEMPORAL_TLS in the environment goes "
        "before it. Without it, it is where there is a key or a certificate.",
    ),
    Setting(
        "cluster.tls_ca",
        text("the path of a file", limit=1000),
        "The certificate that the engine is known by; TEMPORAL_TLS_SERVER_CA_CERT_PATH goes "
        "before it. Without it, those of the system.",
    ),
    Setting(
        "cluster.tls_cert",
        text("the path of a file", limit=1000),
        "The certificate that the engine knows this machine by; TEMPORAL_TLS_CLIENT_CERT_PATH "
        "goes before it.",
    ),
    Setting(
        "cluster.tls_key",
        text("the path of a file", limit=1000),
        "The private key of that certificate; TEMPORAL_TLS_CLIENT_KEY_PATH goes before it.",
    ),
    Setting(
        "cluster.api_key",
        key(),
        "The key that the engine lets this machine in by; TEMPORAL_API_KEY in the environment "
        "goes before it.",
        secret=True,
    ),
    Setting(
        "cluster.hand_over",
        whole(1, 1_000_000),
        "The server hands debates of at least so many calls to the workers; without it, it "
        "holds all debates itself.",
    ),
    Setting(
        "cluster.versioning",
        flag(),
        "Whether workers tell the engine which build they are, so that it gives debates to the "
        "current one only; without it, they do where a build is named.",
    ),
    Setting(
        "cluster.build_id",
        build_name(),
        "What this build is called; MUTUAL_DISSENT_BUILD_ID in the environment and the command "
        "line go before it. Without it, the version and a hash of the program.",
    ),
    Setting(
        "cluster.metrics",
        listening(),
        "Where a worker answers Prometheus; MUTUAL_DISSENT_METRICS in the environment goes before "
        "it. Without it, nowhere.",
    ),
    Setting(
        "telemetry.endpoint",
        base_url(),
        "The OpenTelemetry collector that the spans of each debate are sent to when it ends, by "
        "OTLP over HTTP in JSON; /v1/traces is added. It may be on this machine.",
    ),
    Setting(
        "telemetry.headers",
        headers(),
        "Headers that let us in there, with %20 and so on as OpenTelemetry has them; "
        "OTEL_EXPORTER_OTLP_HEADERS in the environment goes before it.",
        secret=True,
    ),
    Setting(
        "telemetry.content",
        flag(),
        "Whether query, answers and the words of errors are in the spans.",
        default=False,
    ),
    Setting(
        "telemetry.timeout",
        number(0, 60, above=True),
        "Seconds that a request to the collector may take; no debate waits for it.",
        5.0,
    ),
    Setting(
        "webhook.url",
        web_address(),
        "The address that is told of each debate when it ends, with its answer. It may be on this "
        "machine.",
        secret=True,
    ),
    Setting(
        "webhook.secret",
        signing_secret(),
        "What these messages are signed with, as Standard Webhooks does it; "
        "MUTUAL_DISSENT_WEBHOOK_SECRET in the environment goes before it.",
        secret=True,
    ),
    Setting(
        "webhook.timeout",
        number(0, 60, above=True),
        "Seconds that such a message may take; no debate waits for it.",
        5.0,
    ),
    Setting(
        "prices.refresh",
        flag(),
        "Whether prices and context sizes are fetched from OpenRouter, at most once a day and in "
        "the background.",
        default=True,
    ),
)


@cache
def setting_at(path: tuple[str, ...]) -> Setting | None:
    """The setting at a place, or None; a written-out name goes before a `*`."""
    found = [s for s in SCHEMA if s.is_at(path)]
    return min(found, key=lambda s: s.path.count("*"), default=None)


def is_table(path: tuple[str, ...]) -> bool:
    """Return whether settings may stand below this place."""
    return any(s.leads(path) and len(s.path) > len(path) for s in SCHEMA)


def known_below(path: tuple[str, ...]) -> list[str]:
    """The names that may stand directly below a place, but for those that the user chooses."""
    depth = len(path)
    below = {s.path[depth] for s in SCHEMA if s.leads(path) and len(s.path) > depth}
    return sorted(below - {"*"})
