"""Words for failures on the way to a page or a service.

The words of such errors may hold the address and what was asked, and their class names say nothing
to users: each kind has words of ours.
"""

from __future__ import annotations

# By the names of classes, for the HTTP client is loaded with the first page and not before.
_WORDS = {
    "ClientConnectorDNSError": "its host name is not known here",
    "gaierror": "its host name is not known here",
    "ClientConnectorCertificateError": "its certificate cannot be trusted",
    "ClientSSLError": "no secure connection to it can be made",
    "SSLError": "no secure connection to it can be made",
    "TimeoutError": "it did not answer in time",
    "ConnectionRefusedError": "it refuses connections",
    "ConnectionResetError": "it broke the connection off",
    "ServerDisconnectedError": "it broke the connection off",
    "ClientPayloadError": "it broke off in the middle",
    "ClientResponseError": "its answer is not proper HTTP",
    "InvalidURL": "its address is not a proper one",
    "PermissionError": "it must not be connected to from here",
}
REST = "no connection to it can be made"


def failure_words(error: BaseException) -> str:
    """The failure as a clause about the page or the service."""
    # A connector wraps what the system said, which tells more than "connection failed".
    cause = getattr(error, "os_error", None)
    kinds = [k.__name__ for e in (error, cause) if e is not None for k in type(e).__mro__]
    return next((_WORDS[k] for k in kinds if k in _WORDS), REST)
