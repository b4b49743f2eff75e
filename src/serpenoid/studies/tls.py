"""The encrypted connection to a Dask scheduler; whatever is wrong with it is one sentence."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from serpenoid.errors import InvalidInput, first_line

if TYPE_CHECKING:
    from distributed import Security

# Time for each step towards a scheduler: a connection, the encryption, its first word, s.
PATIENCE = 4.0

_ADDRESS = re.compile(r"tls://(?:\[([^\s/\]]+)\]|([^\s/:]+)):(\d{1,5})")
_CA, _CERT, _KEY = (
    f"distributed.comm.tls.{name}" for name in ("ca-file", "client.cert", "client.key")
)
_CERTIFICATE = re.compile("-----BEGIN ([A-Z0-9]+ )*CERTIFICATE-----")
_PRIVATE_KEY = re.compile("-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY-----")


def endpoint(scheduler: str) -> tuple[str, int]:
    """Host and port of the address of a scheduler.

    Raises:
        InvalidInput: If it is no address, or one without encryption: whoever listens at a plain
            one could have this process unpickle anything, which runs code.
    """
    parts = _ADDRESS.fullmatch(str(scheduler))
    if parts is None or int(parts[3]) > 65535:
        raise InvalidInput(
            f"scheduler = {scheduler!r} is not allowed: it must be tls://HOST:PORT, the address of "
            "a dask scheduler with --protocol tls, because whoever answers without encryption "
            "could run code here"
        )
    return parts[1] or parts[2], int(parts[3])


def client_security() -> Security:
    """The certificates that Dask's configuration names for a client.

    Raises:
        InvalidInput: If one is missing or cannot be used.
    """
    try:
        from distributed import Security

        security = Security(require_encryption=True)
    except ValueError as error:
        reason = first_line(error).removesuffix(", original error message:")
        raise InvalidInput(f"Dask's configuration cannot be used: {reason}") from None
    _check_pem(_CA, security.tls_ca_file, _CERTIFICATE, "a certificate")
    cert = _check_pem(_CERT, security.tls_client_cert, _CERTIFICATE, "a certificate")
    key = _KEY, security.tls_client_key
    if key[1] is None and _PRIVATE_KEY.search(cert):  # the key may stand below its certificate
        key = _CERT, security.tls_client_cert
    _check_pem(*key, _PRIVATE_KEY, "a private key without a password")
    try:
        security.get_connection_args("client")
    except ssl.SSLError as error:
        pair = f"{_shown(_CERT, security.tls_client_cert)} and {_shown(*key)}"
        if "KEY_VALUES_MISMATCH" in str(error):
            raise InvalidInput(f"{pair} do not belong together") from None
        pair = f"{_shown(_CA, security.tls_ca_file)}, {pair}"
        raise InvalidInput(f"{pair} cannot be used: {_reason(error)}") from None
    return security


def check_answer(scheduler: str, security: Security) -> None:
    """Raise InvalidInput unless a scheduler answers that has certificates of the same authority.

    Dask tries again until its time is over, and says only that it is. Nothing is sent here, and
    nothing unpickled.
    """
    refused = f"scheduler = {scheduler!r} is not allowed:"
    try:
        plain = socket.create_connection(endpoint(scheduler), timeout=PATIENCE)
    except (OSError, UnicodeError):
        raise InvalidInput(f"{refused} nobody answers there within {PATIENCE:g} s") from None
    context = security.get_connection_args("client")["ssl_context"]
    try:
        # A scheduler speaks first, once it has accepted our certificate.
        with plain, context.wrap_socket(plain) as encrypted:
            if encrypted.recv(1):
                return
        words = "it closes the connection"
    except ssl.SSLCertVerificationError as error:
        authority = _shown(_CA, security.tls_ca_file)
        words = f"its certificate does not pass with {authority}: {error.verify_message}"
    except ssl.SSLError as error:
        words = "it does not speak TLS"
        if "ALERT" in str(error):
            ours = _shown(_CERT, security.tls_client_cert)
            words = f"it refuses a client with {ours}: {_reason(error)}"
    except TimeoutError:
        words = f"what listens there does not answer as a scheduler with TLS within {PATIENCE:g} s"
    except OSError:
        words = "it breaks the connection off"
    raise InvalidInput(f"{refused} {words}")


def check_role(scheduler: str, security: Security) -> None:
    """Raise InvalidInput if what answers is another part of Dask, such as a worker."""
    from distributed import rpc

    async def ask() -> str:
        arguments = security.get_connection_args("client")
        async with rpc(scheduler, timeout=PATIENCE, connection_args=arguments) as server:
            return str((await asyncio.wait_for(server.identity(), PATIENCE))["type"])

    # This thread may be that of a notebook, which has an event loop already.
    with ThreadPoolExecutor(1) as pool:
        role = pool.submit(asyncio.run, ask()).result()
    if role != "Scheduler":
        raise InvalidInput(
            f"scheduler = {scheduler!r} is not allowed: it is the address of a {role.lower()}"
        )


def _check_pem(setting: str, value: object, wanted: re.Pattern[str], content: str) -> str:
    """Return what is in the file that a setting of Dask names, which must be in PEM format."""
    if value is None:
        variable = "DASK_" + setting.upper().replace(".", "__").replace("-", "_")
        raise InvalidInput(
            f"a scheduler needs certificates, and Dask's setting {setting} is missing: name a file "
            f"in {variable} or in Dask's configuration"
        )
    if not isinstance(value, str):
        raise InvalidInput(f"{setting} = {value!r} is not allowed: it must be a file")
    try:
        text = value if "\n" in value else Path(value).read_text(errors="replace")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or first_line(error)
        raise InvalidInput(f"{setting} = {value!r} cannot be read: {reason}") from None
    # OpenSSL would ask for a password on the terminal.
    if not wanted.search(text) or (wanted is _PRIVATE_KEY and "ENCRYPTED" in text):
        raise InvalidInput(
            f"{_shown(setting, value)} is not allowed: it must hold {content}, in PEM format"
        )
    return text


def _shown(setting: str, value: str) -> str:
    """A setting and its value, unless this is no file but the secret itself."""
    return setting if "\n" in value else f"{setting} = {value!r}"


def _reason(error: ssl.SSLError) -> str:
    """What OpenSSL says, without its codes and the line of its source."""
    return re.sub(r"\[.*?\] | \(_ssl\.c.*\)", "", str(error.args[-1]))
