"""Connecting to a Temporal server; its errors, and those of the network, in one sentence."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, GetSystemInfoRequest
from temporalio.client import Client
from temporalio.runtime import LoggingConfig, PrometheusConfig, Runtime, TelemetryConfig
from temporalio.service import RPCError, RPCStatusCode, TLSConfig

from mutual_dissent.config.addresses import Address
from mutual_dissent.config.sections import ClusterOptions
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.values.terms import command, flag
from mutual_dissent.hosting.engine import EngineError
from mutual_dissent.hosting.temporal.payloads import ATTRIBUTES

PATIENCE = 10.0
"""Seconds in which a reachable server answers."""

OLDEST = (1, 24)
"""The oldest server version that has what is used here."""

# Under TLS 1.3 a missing client certificate shows only after the handshake, as a lost connection.
_HUNG_UP = re.compile(r"after connection.{0,200}Error\(Transport")


async def open_client(options: ClusterOptions, identity: str) -> Client:
    """Connect to the namespace of an engine, and check that it will do.

    Raises:
        EngineError: if it cannot be reached or used; the sentence says what to do.
        BadInput: if a file or a setting is wrong.
    """
    address = options.engine
    assert address is not None
    tls, runtime = _tls(options, address), _runtime(options)
    with translate_errors(address):
        try:
            async with asyncio.timeout(PATIENCE):
                client = await Client.connect(
                    address.target,
                    namespace=address.namespace,
                    api_key=options.api_key.reveal() if options.api_key else None,
                    tls=tls,
                    identity=identity,
                    runtime=runtime,
                )
                await _check(client, address)
        # The library reports every failed connection as RuntimeError.
        except (RuntimeError, TimeoutError, OSError, ValueError) as e:
            bare = bool(tls) and options.cert is None
            raise _unreached(address, str(e), bare=bare) from None
    return client


async def is_indexed(client: Client) -> bool:
    """Return whether the namespace has our search attributes."""
    try:
        listed = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace=client.namespace)
        )
    except RPCError:  # hosted servers do not tell
        return False
    return ATTRIBUTES.keys() <= set(listed.custom_attributes)


def how_to_index(address: Address) -> str:
    """Return how to add our search attributes to a server."""
    names = [part for n, kind in ATTRIBUTES.items() for part in (("name", n), ("type", kind))]
    make = temporal_command("operator search-attribute create", address, *names)
    return (
        f"{address} has no search attributes for experiment, mode, status and cost, so its page "
        f"cannot filter by them; make them once with: {make}"
    )


def temporal_command(name: str, address: Address, *options: tuple[str, str]) -> str:
    """A command of Temporal's own program for a server and a namespace."""
    where = (("address", address.target), ("namespace", address.namespace))
    return " ".join(["temporal", name, *(f"{flag(k)} {v}".strip() for k, v in (*where, *options))])


@contextmanager
def translate_errors(address: Address) -> Iterator[None]:
    """Translate the client's errors into one sentence.

    Raises:
        EngineError: in place of the client's own errors.
    """
    try:
        yield
    except RPCError as e:
        raise _refusal(address, e) from None


def _refusal(address: Address, error: RPCError) -> EngineError:
    code = RPCStatusCode
    if error.status in (code.UNAUTHENTICATED, code.PERMISSION_DENIED):
        return _kept_out(address)
    if error.status in (code.UNAVAILABLE, code.DEADLINE_EXCEEDED, code.CANCELLED):
        return _away(address)
    if error.status is code.UNIMPLEMENTED:
        return _too_old(address, "an unknown version")
    # A server's words reach a terminal: printable ASCII alone.
    text = re.sub(r"[^ -~]+", " ", error.message)[:200]
    return EngineError(f"{address} refused: {text or error.status.name}")


def _unreached(address: Address, said: str, *, bare: bool) -> EngineError:
    """Return why there is no connection, as far as Temporal's library tells the reasons apart.

    Args:
        address: where it was to lead.
        said: what the library says.
        bare: whether it is encrypted and this side had no certificate to show.
    """
    if "code: Unimplemented" in said:
        return _too_old(address, "an unknown version")
    if re.search(r"code: (Unauthenticated|PermissionDenied)", said):
        return _kept_out(address)
    if "CertificateRequired" in said or (bare and _HUNG_UP.search(said)):
        return EngineError(
            f"the Temporal server at {address.target} hung up; if it wants a certificate of this "
            "machine, name it and its key by tls_cert and tls_key under [cluster]"
        )
    if "InvalidCertificate" in said:
        return EngineError(
            f"the certificate of {address.target} is not one that this machine knows it by; name "
            "the right one by TEMPORAL_TLS_SERVER_CA_CERT_PATH, or tls_ca under [cluster], and see "
            "that it is for this host"
        )
    return _away(address)


def _kept_out(address: Address) -> EngineError:
    return EngineError(
        f"{address} does not let this machine in; set TEMPORAL_API_KEY, or api_key or the "
        "certificates under [cluster] in the configuration"
    )


def _away(address: Address) -> EngineError:
    return EngineError(
        f"no Temporal server answers at {address.target}; see that it runs and that address and "
        f"TLS are right, or start one for trying with: {command('cluster dev')}"
    )


def _too_old(address: Address, version: str) -> EngineError:
    oldest = ".".join(map(str, OLDEST))
    return EngineError(
        f"the Temporal server at {address.target} has {version}; upgrade it to {oldest} or later"
    )


async def _check(client: Client, address: Address) -> None:
    """Check that the server is not too old and has the namespace."""
    service = client.workflow_service
    version = (await service.get_system_info(GetSystemInfoRequest())).server_version
    numbers = re.match(r"v?(\d+)\.(\d+)", version)
    if numbers and (int(numbers[1]), int(numbers[2])) < OLDEST:
        raise _too_old(address, f"version {version[:40]}")
    try:
        await service.describe_namespace(DescribeNamespaceRequest(namespace=address.namespace))
    except RPCError as e:
        if e.status is not RPCStatusCode.NOT_FOUND:
            raise
        raise EngineError(
            f"the Temporal server at {address.target} has no namespace {address.namespace!r}; make "
            f"it with: {temporal_command('operator namespace create', address)}"
        ) from None


def _runtime(options: ClusterOptions) -> Runtime | None:
    """Return the runtime that serves a worker's metrics, if they are configured.

    Raises:
        EngineError: if they cannot be served at that address.
    """
    if not (options.answers and options.metrics):
        return None
    prometheus = PrometheusConfig(
        options.metrics, counters_total_suffix=True, unit_suffix=True, durations_as_seconds=True
    )
    try:
        return Runtime(telemetry=TelemetryConfig(logging=LoggingConfig.default, metrics=prometheus))
    except (RuntimeError, ValueError, OSError):
        raise EngineError(
            f"nobody can be answered at {options.metrics}, it is taken or not of this machine; "
            "choose another by MUTUAL_DISSENT_METRICS or metrics under [cluster]"
        ) from None


def _tls(options: ClusterOptions, address: Address) -> bool | TLSConfig:
    """Return the TLS settings of the connection; False if it is not encrypted.

    Raises:
        BadInput: if a file cannot be read, or the API key would travel unencrypted.
    """
    files = (options.ca, options.cert, options.key)
    if bool(options.cert) != bool(options.key):
        raise BadInput("tls_cert and tls_key under [cluster] go together; set both or neither")
    # Unless it is said: whoever has a key or certificates means TLS.
    encrypted = bool(options.api_key or any(files)) if options.tls is None else options.tls
    if not encrypted:
        if options.api_key and not address.is_here:
            raise BadInput(
                "the key of the engine is sent over TLS only; leave out tls = false under [cluster]"
            )
        return False
    ca, cert, key = (_bytes(f) for f in files)
    if not any(files):
        return True
    return TLSConfig(server_root_ca_cert=ca, client_cert=cert, client_private_key=key)


def _bytes(name: str | None) -> bytes | None:
    if name is None:
        return None
    try:
        return Path(name).expanduser().read_bytes()
    except OSError as e:
        raise BadInput(f"the file {name} of [cluster] cannot be read: {e.strerror}") from None
