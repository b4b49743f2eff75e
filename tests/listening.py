"""What processes listen on, by the tables of sockets in /proc."""

import contextlib
import ipaddress
import sys
from collections.abc import Iterable
from pathlib import Path

_LISTENING, _UNCONNECTED = "0A", "07"  # states of TCP and of UDP sockets that wait for peers


def listening(processes: Iterable[int]) -> set[str]:
    """List what others could connect to or send to.

    Args:
        processes: Their numbers; those that have ended are left out.

    Returns:
        Such as "tcp 127.0.0.1:8786", "udp [::]:53" and "unix @name"; a socket without a name, as
        that of a pipe, cannot be found by anybody else and is left out.
    """
    found: set[str] = set()
    for process in processes:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found |= _of(Path(f"/proc/{process}"))
    return found


def beyond_loopback(endpoints: Iterable[str]) -> list[str]:
    """Those that another machine could reach, or that have a name in the system."""
    return sorted(
        one
        for one in endpoints
        if one.startswith("unix")
        or not ipaddress.ip_address(one.split()[1].rpartition(":")[0].strip("[]")).is_loopback
    )


def _of(process: Path) -> set[str]:
    sockets = set()
    for descriptor in (process / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            sockets.add(str(descriptor.readlink()))
    found = set()
    for kind, waiting in (("tcp", _LISTENING), ("udp", _UNCONNECTED)):
        for table in (kind, f"{kind}6"):
            for row in _rows(process / "net" / table):
                if f"socket:[{row[9]}]" in sockets and row[3] == waiting:
                    found.add(f"{kind} {_address(row[1])}")
    for row in _rows(process / "net/unix"):
        if len(row) > 7 and f"socket:[{row[6]}]" in sockets:
            found.add(f"unix {row[7]}")
    return found


def _rows(table: Path) -> list[list[str]]:
    if not table.exists():  # a system without IPv6
        return []
    return [line.split() for line in table.read_text().splitlines()[1:]]


def _address(text: str) -> str:
    """An address in hexadecimal, in words of 32 bits in the order of bytes of the machine."""
    host, port = text.split(":")
    words = [int(host[k : k + 8], 16).to_bytes(4, sys.byteorder) for k in range(0, len(host), 8)]
    address = ipaddress.ip_address(b"".join(words))
    return f"{f'[{address}]' if address.version == 6 else address}:{int(port, 16)}"
