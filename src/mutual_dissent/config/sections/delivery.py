"""Settings of [telemetry] and [webhook]: who is told of a debate that ended.

Both addresses are the user's own words, from a file that no client can change (`protection.py`), so
they may name this machine or one of the own network, as base URLs of vendors may.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from mutual_dissent.config.file import ConfigFile
from mutual_dissent.config.urls import may_carry_a_key
from mutual_dissent.config.values import Accepts, NotAccepted, headers, signing_secret
from mutual_dissent.core.errors import BadConfig
from mutual_dissent.core.values.secret import Key

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
