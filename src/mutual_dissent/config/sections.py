"""Sections of the configuration that one part alone reads, each as the options of that part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from mutual_dissent.config.addresses import (
    DATABASE_URL,
    ENGINE_ADDRESS,
    Address,
    build_name,
    listening,
    may_carry_a_key,
)
from mutual_dissent.config.file import ConfigFile
from mutual_dissent.config.schema import QUEUE
from mutual_dissent.config.values import HOTKEY, Accepts, NotAccepted, headers, key, signing_secret
from mutual_dissent.core.errors import BadConfig, BadInput
from mutual_dissent.core.values.secret import Key
from mutual_dissent.core.values.terms import option
from mutual_dissent.store.database import LEASE, checked_url


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """The limits of a server, and the names it goes by.

    Attributes:
        mode: the mode of what is asked by `POST /api/chat`; None if it was not set.
        names: hosts that it answers for besides those of this machine, each with a port or not.
        running: debates at once.
        waiting: debates that may wait for their turn.
        max_body: megabytes of a request's body.
        max_files: megabytes of it where files may come with it.
        max_headers: fields in a request's head.
        max_head: kilobytes of a request's head.
        body_timeout: seconds until a request's body must be there.
        idle_timeout: seconds until a request's head must be there, or the next request.
        connections: connections at once.
        streams: answers at once that go on as long as somebody listens.
    """

    mode: str | None = None
    names: tuple[str, ...] = ()
    running: int = 64
    waiting: int = 1000
    max_body: float = 10.0
    max_files: float = 28.0
    max_headers: int = 100
    max_head: int = 64
    body_timeout: float = 60.0
    idle_timeout: float = 15.0
    connections: int = 2000
    streams: int = 1000

    @property
    def max_body_bytes(self) -> int:
        """The most bytes of a request's body."""
        return int(self.max_body * 1_000_000)

    @property
    def max_files_bytes(self) -> int:
        """The most bytes of it where files may come with it."""
        return max(self.max_body_bytes, int(self.max_files * 1_000_000))

    @property
    def max_head_bytes(self) -> int:
        """The most bytes of a request's head."""
        return self.max_head * 1024


DATABASE_VARIABLE = "MUTUAL_DISSENT_DB"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """The database of the record.

    Attributes:
        url: of a PostgreSQL database, which may hold a password; None for the file in the home.
        lease: seconds until what a silent process held may be taken over.
    """

    url: Key | None = None
    lease: float = LEASE


def read_store(document: ConfigFile, env: Mapping[str, str]) -> StoreOptions:
    """Return where the record is, by the environment or else by the file.

    Raises:
        BadConfig: if the variable holds no URL; nothing of it is repeated.
    """
    lease = document.get("store.lease", LEASE)
    if given := env.get(DATABASE_VARIABLE, "").strip():
        try:
            return StoreOptions(url=Key(checked_url(given), DATABASE_VARIABLE), lease=lease)
        except BadInput:
            raise BadConfig("environment", DATABASE_VARIABLE, f"must be {DATABASE_URL}") from None
    text = document.get("store.url")
    return StoreOptions(url=Key(text, "store.url") if text else None, lease=lease)


ENGINE_VARIABLE = "MUTUAL_DISSENT_ENGINE"
ENGINE_KEY_VARIABLE = "TEMPORAL_API_KEY"
TLS_VARIABLE = "TEMPORAL_TLS"
BUILD_VARIABLE = "MUTUAL_DISSENT_BUILD_ID"
METRICS_VARIABLE = "MUTUAL_DISSENT_METRICS"
TLS_FILES = {
    "cluster.tls_ca": "TEMPORAL_TLS_SERVER_CA_CERT_PATH",
    "cluster.tls_cert": "TEMPORAL_TLS_CLIENT_CERT_PATH",
    "cluster.tls_key": "TEMPORAL_TLS_CLIENT_KEY_PATH",
}
"""Settings that name files -> the variable that goes before each, as Temporal's own tools do it."""

_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """The engine of many machines.

    Attributes:
        engine: where it is; None if there is none.
        queue: the task queue that workers of this record listen to.
        tls: whether the connection is encrypted; None if a key or certificates say so.
        ca, cert, key: files that the server and this side are known by.
        api_key: what lets this side in.
        lease: seconds of silence after which a debate is taken over.
        hand_over: a server hands debates of so many calls to workers; None for none.
        versioning: whether workers say which build they are; None if a build that is named says so.
        build: what this build is called; None for its version and a hash of it.
        metrics: where a worker answers Prometheus; None for nowhere.
        answers: whether this process is such a worker.
    """

    engine: Address | None = None
    queue: str = QUEUE
    tls: bool | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    api_key: Key | None = None
    lease: float = LEASE
    hand_over: int | None = None
    versioning: bool | None = None
    build: str | None = None
    metrics: str | None = None
    answers: bool = False

    @property
    def is_versioned(self) -> bool:
        """Return whether a worker says which build it is."""
        return self.build is not None if self.versioning is None else self.versioning


def read_cluster(
    document: ConfigFile, env: Mapping[str, str], engine: str | None = None
) -> ClusterOptions:
    """The engine, by what was given, else by the environment, else by the file.

    Raises:
        UserError: if a variable or what was given cannot be used; no key is repeated.
    """
    ca, cert, private = (env.get(v, "").strip() or document.get(s) for s, v in TLS_FILES.items())
    return ClusterOptions(
        engine=_engine(document, env, engine),
        queue=document.get("cluster.queue", QUEUE),
        tls=_tls(document, env),
        ca=ca,
        cert=cert,
        key=private,
        api_key=_secret(document, env, "cluster.api_key", ENGINE_KEY_VARIABLE, key()),
        lease=document.get("store.lease", LEASE),
        hand_over=document.get("cluster.hand_over"),
        versioning=document.get("cluster.versioning"),
        build=_said(env, BUILD_VARIABLE, build_name()) or document.get("cluster.build_id"),
        metrics=_said(env, METRICS_VARIABLE, listening()) or document.get("cluster.metrics"),
    )


def _engine(document: ConfigFile, env: Mapping[str, str], given: str | None) -> Address | None:
    if given is not None:
        try:
            return Address.read(given)
        except BadInput as e:
            raise BadInput(f"{option('engine')}: {e.sentence}") from None
    if text := env.get(ENGINE_VARIABLE, "").strip():
        try:
            return Address.read(text)
        except BadInput:
            raise BadConfig("environment", ENGINE_VARIABLE, f"must be {ENGINE_ADDRESS}") from None
    written = document.get("cluster.engine")
    return Address.read(written) if written else None


def _said(env: Mapping[str, str], variable: str, kind: Accepts) -> str | None:
    text = env.get(variable, "").strip()
    try:
        return str(kind.read(text)) if text else None
    except NotAccepted:
        raise BadConfig("environment", variable, f"must be {kind.what}") from None


def _tls(document: ConfigFile, env: Mapping[str, str]) -> bool | None:
    said = env.get(TLS_VARIABLE, "").strip().lower()
    if said and said not in (*_YES, *_NO):
        raise BadConfig("environment", TLS_VARIABLE, "must be true or false")
    if said:
        return said in _YES
    written: bool | None = document.get("cluster.tls")
    return written


# The addresses of [telemetry] and [webhook] are the user's own words, from a file that no client
# can change (`protection.py`), so they may name this machine or one of the own network, as base
# URLs of vendors may.
HEADERS_VARIABLE = "OTEL_EXPORTER_OTLP_HEADERS"
SECRET_VARIABLE = "MUTUAL_DISSENT_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable
TIMEOUT = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetryOptions:
    """The collector that spans are sent to.

    Attributes:
        endpoint: its base URL; None if there is none.
        headers: what lets us in, as it is written.
        content: whether query and answers are in the spans.
        timeout: seconds that one request may take.
    """

    endpoint: str | None = None
    headers: Key | None = None
    content: bool = False
    timeout: float = TIMEOUT


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookOptions:
    """The address that is told of debates.

    Attributes:
        url: the address, which may hold a token; None if there is none.
        secret: what messages are signed with.
        timeout: seconds that one request may take.
    """

    url: Key | None = None
    secret: Key | None = None
    timeout: float = TIMEOUT


def read_telemetry(document: ConfigFile, env: Mapping[str, str]) -> TelemetryOptions:
    """The collector, with headers by the environment or else by the file.

    Raises:
        BadConfig: if headers cannot be read, or would go over plain http to a stranger.
    """
    endpoint = document.get("telemetry.endpoint")
    _check_safe(document, "endpoint", "telemetry", endpoint)
    return TelemetryOptions(
        endpoint=endpoint,
        headers=_secret(document, env, "telemetry.headers", HEADERS_VARIABLE, headers())
        if endpoint  # headers for other programs' collectors are none of our business
        else None,
        content=document.get("telemetry.content", False),
        timeout=document.get("telemetry.timeout", TIMEOUT),
    )


def read_webhook(document: ConfigFile, env: Mapping[str, str]) -> WebhookOptions:
    """The webhook, with its secret by the environment or else by the file.

    Raises:
        BadConfig: if the secret cannot be used, or the address is plain http to a stranger.
    """
    url = document.get("webhook.url")
    _check_safe(document, "url", "webhook", url)
    return WebhookOptions(
        url=_in_file(document, "webhook.url"),
        secret=_secret(document, env, "webhook.secret", SECRET_VARIABLE, signing_secret()),
        timeout=document.get("webhook.timeout", TIMEOUT),
    )


def _check_safe(document: ConfigFile, name: str, table: str, url: str | None) -> None:
    if url and not may_carry_a_key(url):
        sentence = "must be https: debates are not told over plain http beyond the own network"
        raise document.refusal((table, name), sentence)


def _secret(
    document: ConfigFile,
    env: Mapping[str, str],
    name: str,
    variable: str,
    kind: Accepts,
) -> Key | None:
    if given := env.get(variable, "").strip():
        try:
            return Key(kind.read(given), variable)
        except NotAccepted:  # nothing of it is repeated
            raise BadConfig("environment", variable, f"must be {kind.what}") from None
    return _in_file(document, name)


def _in_file(document: ConfigFile, name: str) -> Key | None:
    written = document.get(name)
    return Key(written, f"{name} in {PurePath(document.file).name}") if written else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopOptions:
    """Options of `dissent desktop`.

    Attributes:
        hotkey: the keys that bring the window to the front from anywhere, or `off`.
    """

    hotkey: str = HOTKEY
