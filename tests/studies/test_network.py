"""What can be reached from outside: nothing of a sweep, and a cluster with its key only."""

import asyncio
import contextlib
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from distributed import Client
from distributed.core import connect
from distributed.protocol.pickle import dumps

from serpenoid.studies import load_table
from serpenoid.studies.cluster import WorkPlace
from tests.listening import beyond_loopback, listening
from tests.processes import members, serpenoid, started
from tests.sentences import refusal
from tests.studies.certificates import Authority, Pair

pytestmark = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="sockets are in /proc")

PAGE = Path(__file__).parents[2] / "docs" / "studies.md"
STUDY = """
base = "swimmer"
metrics = ["distance"]
change = { "clock.duration" = 0.1 }

[parameters]
"seed" = { range = [0, 9], steps = 10, integer = true }
"""


# ------------------------------------------------------------------------------------- one machine


def reachable(sweep):
    """What a running sweep listens on, from its start to its end, and how many processes it had."""
    found, most = set(), 0
    while sweep.poll() is None:
        processes = members(sweep.pid)
        found |= listening(processes)
        most = max(most, len(processes))
        time.sleep(0.25)
    assert sweep.returncode == 0, sweep.communicate()[1]
    return found, most


def test_a_sweep_listens_on_nothing(here):
    Path("study.toml").write_text(STUDY)
    with serpenoid("sweep", "study.toml", "--workers", "2") as sweep:
        found, processes = reachable(sweep)
    assert found == set()
    assert processes >= 3


def test_an_open_port_would_be_seen():
    offenders = [
        (socket.AF_INET, socket.SOCK_STREAM, "0.0.0.0", "tcp 0.0.0.0:{}"),
        (socket.AF_INET, socket.SOCK_DGRAM, "0.0.0.0", "udp 0.0.0.0:{}"),
        (socket.AF_INET, socket.SOCK_STREAM, "127.0.0.1", "tcp 127.0.0.1:{}"),
    ]
    if socket.has_ipv6 and Path("/proc/net/tcp6").exists():
        offenders.append((socket.AF_INET6, socket.SOCK_STREAM, "::", "tcp [::]:{}"))
        offenders.append((socket.AF_INET6, socket.SOCK_STREAM, "::1", "tcp [::1]:{}"))
    expected = {f"unix @serpenoid-{os.getpid()}"}
    with contextlib.ExitStack() as ends:
        before = listening([os.getpid()])
        for family, kind, host, name in offenders:
            one = ends.enter_context(socket.socket(family, kind))
            one.bind((host, 0))
            if kind == socket.SOCK_STREAM:
                one.listen()
            expected.add(name.format(one.getsockname()[1]))
        named = ends.enter_context(socket.socket(socket.AF_UNIX))
        named.bind(f"\0serpenoid-{os.getpid()}")
        found = listening([os.getpid()]) - before
    assert found == expected
    assert beyond_loopback(found) == sorted(
        one for one in expected if "127.0.0.1" not in one and "::1" not in one
    )


# ----------------------------------------------------------------------------------------- cluster


def documented(port):
    """The commands of the page, for a cluster on this machine: host, command."""
    section = PAGE.read_text(encoding="utf-8").partition("## On a cluster")[2]
    section = section.partition("\n## ")[0].replace("\\\n", " ")
    for old, new in {"8786": str(port), "8787": "0", "--nworkers auto": "--nworkers 1"}.items():
        assert old in section
        section = section.replace(old, new)
    return [
        (host, re.sub(r"\bhost\d\b", "127.0.0.1", command))
        for host, command in re.findall(r"^(host\d)\$ (.*)$", section, re.MULTILINE)
    ]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A cluster by the commands of the page; the last of them starts a sweep on it."""
    if not shutil.which("openssl") or not shutil.which("bash"):
        pytest.skip("the page uses openssl")
    folder = tmp_path_factory.mktemp("home") / "dask"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    before = {"host1": [], "host2": []}  # lines of a shell that later commands depend on
    with contextlib.ExitStack() as ends:
        groups = []
        for host, command in documented(port):
            line = command.replace("~/dask", str(folder))
            script = ("bash", "-c", "\n".join(["set -e", *before[host], line]))
            if line.startswith(("cd", "export")):
                before[host].append(line)
            elif line.startswith("dask"):
                server = ends.enter_context(started(*script, env=environment))
                groups.append(server.pid)
            elif not line.startswith(("scp", "serpenoid")):
                subprocess.run(script, check=True, capture_output=True)
        pair = Pair(*(str(folder / name) for name in ("cert.pem", "cert.pem", "key.pem")))
        address = f"tls://127.0.0.1:{port}"
        with pair.as_client(), Client(address, set_as_default=False, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
            ((worker, facts),) = client.scheduler_info()["workers"].items()
        (folder / "gait_map.toml").write_text(STUDY)
        yield SimpleNamespace(
            pair=pair,
            folder=folder,
            parts=[one.removeprefix("tls://") for one in (address, worker, facts["nanny"])],
            sweep=lambda: started(*script, env=environment),
            listening=lambda: listening(one for group in groups for one in members(group)),
        )


def test_the_commands_of_the_page(cluster):
    """The folder of the key is the user's alone, and the sweep of the page listens on nothing."""
    assert cluster.folder.stat().st_mode & 0o077 == 0
    assert Path(cluster.pair.key).stat().st_mode & 0o077 == 0
    with cluster.sweep() as sweep:
        found, _ = reachable(sweep)
    assert found == set()
    table = load_table(cluster.folder / "sweeps" / "gait_map")
    assert list(table["seed"]) == list(range(10))
    assert table["error"].isna().all()
    assert list(cluster.folder.glob("dask-scratch-space*"))


def test_only_who_has_the_key_runs_code(cluster, tmp_path):
    """Those who have not do not look at the certificate of the cluster, either."""
    found = cluster.listening()
    assert beyond_loopback(found) == []
    assert {f"tcp {one}" for one in cluster.parts} < found  # the others speak HTTP
    friend, stranger = blind(cluster.pair), blind(Authority(tmp_path, "theirs").pair("stranger"))
    for one in cluster.parts:
        assert runs_code(f"tls://{one}", friend, tmp_path)
        for scheme, context in (("tcp", None), ("tls", blind()), ("tls", stranger)):
            assert not runs_code(f"{scheme}://{one}", context, tmp_path)
    # All are still there.
    assert cluster.listening() == found


def test_a_client_takes_nothing_without_encryption(cluster):
    """Nor from workers, whose addresses the scheduler tells."""
    scheduler, *others = (f"tls://{one}" for one in cluster.parts)
    with cluster.pair.as_client():
        with WorkPlace(scheduler).open(print, str) as workers:
            client = workers._client
            with pytest.raises(RuntimeError, match="encryption required"):
                client.sync(client.rpc.connect, "tcp://127.0.0.1:1")
        for address, role in zip(others, ("worker", "nanny"), strict=True):
            words = refusal(WorkPlace(address).open(print, str).__enter__)
            assert words.endswith(f"{address!r} is not allowed: it is the address of a {role}")


def blind(pair=None):
    """For a client that takes any server, with or without a certificate of its own."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if pair is not None:
        context.load_cert_chain(pair.cert, pair.key)
    return context


def runs_code(address, context, folder):
    """Whether a part of a cluster calls what a peer sends, as Dask's own clients do."""
    note = folder / "note"
    encryption = {} if context is None else {"ssl_context": context}

    async def call(operation):
        comm = await connect(address, timeout=2, **encryption)
        try:
            call = {"function": dumps(Path.touch), "args": dumps((note,)), "wait": True}
            await comm.write({"op": operation, "reply": True, **call})
            await comm.read()
        finally:
            comm.abort()

    # Of a scheduler, and of a worker or nanny.
    for operation in ("run_function", "run"):
        with contextlib.suppress(OSError):
            asyncio.run(asyncio.wait_for(call(operation), 5))
    ran = note.exists()
    note.unlink(missing_ok=True)
    return ran
