"""The connection to a scheduler: what is refused, in one sentence and a bounded time."""

import contextlib
import itertools
import re
import socket
import ssl
import threading
import time
from pathlib import Path

import dask
import pytest
from cryptography.hazmat.primitives import serialization

from serpenoid import cli
from serpenoid.studies.cluster import WorkPlace
from serpenoid.studies.tls import check_answer, client_security, endpoint
from tests.sentences import refusal
from tests.studies.certificates import Authority

TLS = "distributed.comm.tls."
# What a scheduler says first begins with the length of the message and the count of its parts.
GREETING = (120).to_bytes(8, "little") + (2).to_bytes(8, "little")


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """The authority of this cluster."""
    return Authority(tmp_path_factory.mktemp("ours"), "ours")


@pytest.fixture(scope="module")
def pair(ours):
    return ours.pair("all")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    """A pair that somebody else's authority has signed."""
    return Authority(tmp_path_factory.mktemp("theirs"), "theirs").pair("stranger")


@pytest.fixture(autouse=True)
def client(pair):
    with dask.config.set(pair.settings):
        yield


def server_context(pair, ca=None):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=ca or pair.ca)
    context.load_cert_chain(pair.cert, pair.key)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


@contextlib.contextmanager
def listening(talk, context=None):
    """The address of a server that talks to its only client, encrypted with a context."""
    done = threading.Event()

    def serve():
        with contextlib.suppress(OSError):
            peer, _ = server.accept()
            with peer, context.wrap_socket(peer, server_side=True) if context else peer as stream:
                talk(stream, done)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"tls://127.0.0.1:{server.getsockname()[1]}"
        finally:
            done.set()
            with contextlib.suppress(OSError):
                socket.create_connection(server.getsockname(), 1).close()
            thread.join()


def greet(stream, done):
    stream.sendall(GREETING)
    done.wait()


def wait(_stream, done):
    done.wait()


def close(_stream, _done):
    pass


def trickle(stream, done):
    """A byte of a long record of TLS now and then."""
    for byte in itertools.chain(b"\x16\x03\x03\x3f\xff\x02\x00\x3f\xfb", itertools.repeat(0)):
        stream.sendall(bytes([byte]))
        if done.wait(0.05):
            return


def answer(talk, context=None):
    """How a server is refused."""
    with listening(talk, context) as address:
        words = refusal(lambda: check_answer(address, client_security()))
        return words.removeprefix(f"scheduler = {address!r} is not allowed: ")


def test_a_scheduler_of_the_same_authority(pair):
    with listening(greet, server_context(pair)) as address:
        check_answer(address, client_security())


def test_a_server_of_another_authority(pair, stranger):
    words = answer(greet, server_context(stranger, pair.ca))
    assert words == (
        f"its certificate does not pass with {TLS}ca-file = {pair.ca!r}: unable to get local "
        "issuer certificate"
    )


def test_a_server_with_an_expired_certificate(ours):
    words = answer(greet, server_context(ours.pair("expired", days=-1)))
    assert words.endswith(": certificate has expired")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_client_that_the_server_does_not_know(pair, stranger, version):
    context = server_context(pair, stranger.ca)
    context.maximum_version = version
    words = answer(greet, context)
    assert words.startswith(f"it refuses a client with {TLS}client.cert = {pair.cert!r}: ")
    assert words.endswith("alert unknown ca")


def test_a_client_whose_certificate_has_expired(pair, ours):
    late = ours.pair("late", days=-1)
    with dask.config.set(late.settings):
        words = answer(greet, server_context(pair))
    assert words.startswith(f"it refuses a client with {TLS}client.cert = {late.cert!r}: ")
    assert words.endswith("alert certificate expired")


def test_a_server_without_tls():
    assert answer(greet) == "it does not speak TLS"


def test_a_server_that_ends_the_connection(pair):
    assert answer(close) in ("it does not speak TLS", "it breaks the connection off")
    assert answer(close, server_context(pair)) == "it closes the connection"


@pytest.mark.parametrize(("talk", "encrypted"), [(wait, False), (wait, True), (trickle, False)])
def test_a_server_that_never_comes_to_the_point(pair, monkeypatch, talk, encrypted):
    monkeypatch.setattr("serpenoid.studies.tls.PATIENCE", 0.4)
    begin = time.monotonic()
    words = answer(talk, server_context(pair) if encrypted else None)
    assert words == "what listens there does not answer as a scheduler with TLS within 0.4 s"
    assert time.monotonic() - begin < 2.0


@pytest.mark.parametrize("address", ["tls://127.0.0.1:8786", "tls://host:1", "tls://[::1]:99"])
def test_nobody_answers(address, monkeypatch):
    asked = []

    def refuse(where, timeout):
        asked.append((where, timeout))
        raise ConnectionRefusedError

    monkeypatch.setattr("socket.create_connection", refuse)
    words = refusal(lambda: check_answer(address, client_security()))
    assert words == f"scheduler = {address!r} is not allowed: nobody answers there within 4 s"
    assert asked == [(endpoint(address), 4.0)]


def test_a_host_that_is_no_name():
    words = refusal(lambda: check_answer(f"tls://{'a' * 70}:1", client_security()))
    assert words.endswith("nobody answers there within 4 s")


def test_hosts_and_ports():
    assert endpoint("tls://127.0.0.1:8786") == ("127.0.0.1", 8786)
    assert endpoint("tls://[::1]:99") == ("::1", 99)
    assert endpoint("tls://host.example:1") == ("host.example", 1)


@pytest.mark.parametrize(
    "address",
    [
        *("tcp://127.0.0.1:8786", "127.0.0.1:8786", "ws://host:1", "wss://host:1", "here", ""),
        *("tls://host", "tls://host:99999", "tls://a b:1", "tls://::1:99", "inproc://1", 7),
    ],
)
def test_an_address_without_encryption_is_refused_before_anything_is_done(
    address, here, monkeypatch
):
    def connect(*_, **__):
        raise AssertionError("it connects")

    monkeypatch.setattr("socket.create_connection", connect)
    monkeypatch.setattr("distributed.Client", connect)
    assert refusal(WorkPlace(address).check) == (
        f"scheduler = {address!r} is not allowed: it must be tls://HOST:PORT, the address of a "
        "dask scheduler with --protocol tls, because whoever answers without encryption could run "
        "code here"
    )


def test_from_the_command_line(here, capsys, pair):
    Path("study.toml").write_text(
        'base = "swimmer"\nmetrics = ["distance"]\n[parameters]\n"seed" = { values = [1] }\n'
    )
    with listening(greet) as address:
        assert cli.invoke(["sweep", "study.toml", "--scheduler", address]) == 2
    assert capsys.readouterr().err == (
        f"serpenoid: scheduler = {address!r} is not allowed: it does not speak TLS\n"
    )


# ---------------------------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("setting", "variable"),
    [
        ("ca-file", "DASK_DISTRIBUTED__COMM__TLS__CA_FILE"),
        ("client.cert", "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT"),
        ("client.key", "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"),
    ],
)
def test_a_setting_that_is_missing(setting, variable):
    with dask.config.set({TLS + setting: None}):
        words = refusal(WorkPlace("tls://host:1").check)
    assert words == (
        f"a scheduler needs certificates, and Dask's setting {TLS}{setting} is missing: name a "
        f"file in {variable} or in Dask's configuration"
    )


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("ca-file", "none.pem", "ca-file = 'none.pem' cannot be read: No such file or directory"),
        ("client.cert", ".", "client.cert = '.' cannot be read: Is a directory"),
        ("client.key", "a\0b", "client.key = 'a\\x00b' cannot be read: embedded null byte"),
        ("client.key", 7, "client.key = 7 is not allowed: it must be a file"),
        (
            "ca-file",
            "KEY",
            "ca-file = KEY is not allowed: it must hold a certificate, in PEM format",
        ),
        (
            "client.key",
            "CERT",
            "client.key = CERT is not allowed: it must hold a private key without a password, in "
            "PEM format",
        ),
        (
            "client.key",
            "LOCKED",
            "client.key = LOCKED is not allowed: it must hold a private key without a password, in "
            "PEM format",
        ),
        (
            "client.key",
            "STRANGE",
            f"client.cert = CERT and {TLS}client.key = STRANGE do not belong together",
        ),
        (
            "client.cert",
            "DAMAGED",
            f"ca-file = CA, {TLS}client.cert = DAMAGED and {TLS}client.key = KEY cannot be used",
        ),
        (
            "ciphers",
            "none",
            f"ca-file = CA, {TLS}client.cert = CERT and {TLS}client.key = KEY cannot be used",
        ),
    ],
)
def test_a_setting_that_cannot_be_used(setting, value, words, here, pair, stranger):
    files = {"CA": pair.ca, "CERT": pair.cert, "KEY": pair.key, "STRANGE": stranger.key}
    files |= {"LOCKED": "locked.pem", "DAMAGED": "damaged.pem"}
    key = serialization.load_pem_private_key(Path(pair.key).read_bytes(), None)
    Path("locked.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )
    certificate = Path(pair.cert).read_text()
    Path("damaged.pem").write_text(certificate.replace(certificate[100:140], ""))
    with dask.config.set({TLS + setting: files.get(value, value)}):
        said = refusal(client_security)
    for name, file in files.items():
        words = re.sub(rf"\b{name}\b", lambda _, file=file: repr(file), words)
    # OpenSSL says the rest, in words that depend on its version.
    assert re.sub("(?<=cannot be used): .+", "", said) == TLS + words


def test_a_key_below_its_certificate(here, pair):
    Path("both.pem").write_text(Path(pair.cert).read_text() + Path(pair.key).read_text())
    with dask.config.set({TLS + "client.cert": "both.pem", TLS + "client.key": None}):
        client_security()


def test_a_secret_is_never_shown(pair, stranger):
    """Dask takes the text itself instead of a file."""
    with dask.config.set({TLS + "client.key": Path(pair.key).read_text()}):
        client_security()
    with dask.config.set({TLS + "client.key": Path(stranger.key).read_text()}):
        words = refusal(client_security)
    assert words == f"{TLS}client.cert = {pair.cert!r} and {TLS}client.key do not belong together"


def test_a_configuration_that_dask_refuses():
    with dask.config.set({TLS + "min-version": 1.0}):
        words = refusal(client_security)
    assert words.startswith(
        f"Dask's configuration cannot be used: {TLS}min-version=1.0 is not supported"
    )
