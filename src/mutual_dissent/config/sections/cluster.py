"""Settings of [cluster]: the engine that deals debates out to workers on many machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mutual_dissent.config.engine_address import ENGINE_ADDRESS, Address, build_name, listening
from mutual_dissent.config.file import ConfigFile
from mutual_dissent.config.schema import QUEUE
from mutual_dissent.config.values import Accepts, NotAccepted, key
from mutual_dissent.core.errors import BadConfig, BadInput
from mutual_dissent.core.values.secret import Key
from mutual_dissent.core.values.terms import option
from mutual_dissent.store.postgres.server import LEASE

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
        api_key=_api_key(document, env),
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


def _api_key(document: ConfigFile, env: Mapping[str, str]) -> Key | None:
    if text := env.get(ENGINE_KEY_VARIABLE, "").strip():
        try:
            return Key(key().read(text), ENGINE_KEY_VARIABLE)
        except NotAccepted:
            raise BadConfig("environment", ENGINE_KEY_VARIABLE, f"must be {key().what}") from None
    written = document.get("cluster.api_key")
    return Key(written, "cluster.api_key") if written else None
