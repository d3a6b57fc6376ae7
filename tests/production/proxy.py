"""A way to a server that can be cut: what is connected is dropped, what comes is refused, until it is opened again."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator


class Way:
    """Carries bytes between a loopback port and `target`."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._guard = threading.Lock()
        self._open: set[socket.socket] = set()
        self.is_cut = False
        self.refused = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        with self._guard:
            self.is_cut = True
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        with self._guard:
            self.is_cut = False

    def close(self) -> None:
        self.cut()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _address = self._listener.accept()
            except OSError:
                return
            with self._guard:
                if self.is_cut:
                    self.refused += 1
                    near.close()
                    continue
                far = socket.create_connection(self.target)
                self._open |= {near, far}
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        with self._guard:
            self._open.discard(source)
        source.close()


@contextlib.contextmanager
def way_to(host: str, port: int) -> Iterator[Way]:
    way = Way((host, port))
    try:
        yield way
    finally:
        way.close()
