"""On PYTHONPATH, this refuses every connection that leaves the machine: what runs under it is offline.

Python imports a module of this name at start-up, so it reaches notebook kernels too.
"""

import ipaddress
import socket

_LOCAL_NAMES = {"localhost", ""}


class NetworkRefused(OSError):
    """A connection to another machine was tried while the network is switched off."""


def _local(address: object) -> bool:
    if not isinstance(address, tuple):
        return True  # Unix sockets
    host = str(address[0]).partition("%")[0]
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _guard(name: str) -> None:
    original = getattr(socket.socket, name)

    def guarded(self: socket.socket, address: object, *rest: object) -> object:
        if not _local(address):
            raise NetworkRefused(f"Tests and notebooks run offline; a connection to {address!r} was refused.")
        return original(self, address, *rest)

    setattr(socket.socket, name, guarded)


for _name in ("connect", "connect_ex"):
    _guard(_name)
