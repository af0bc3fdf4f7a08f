"""The engine: one child process, which answers messages on its standard input and output."""

from __future__ import annotations

import atexit
import itertools
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO

from . import _wire as wire
from ._codec import Bytes, FieldError
from ._errors import EngineError, Named, SettingError, error_of, unnamed
from ._message import decode, encode

VARIABLE = "BAGSCOPE_BINARY"
"""The environment variable that names another program than the one inside the package."""

MAX_MESSAGE = 1 << 30
"""Most bytes of a message. The engine rejects longer ones."""

_STDERR_LINES = 40
_JOIN_BELOW = 1 << 16
_GRACE = 2.0  # seconds that the child has to end by itself

Event = Callable[["Child", int, wire.Body], None]
"""Called for each message about a request before its answer: the child, the request, the event."""


def binary() -> str:
    """Return the path of the engine's program.

    Raises
    ------
    EngineError
        If there is no program.
    """
    named = os.environ.get(VARIABLE)
    name = "bagscope.exe" if sys.platform == "win32" else "bagscope"
    path = Path(named) if named else Path(__file__).parent / "bin" / name
    if path.is_file():
        return str(path)
    if named:
        raise EngineError(f"{VARIABLE} names {path}, which does not exist; correct or unset it")
    raise EngineError(
        f"the program {path} is missing: this package was not installed from a wheel; install a "
        f"wheel for this platform, or build the program by 'make build' and name it in {VARIABLE}"
    )


class Child:
    """One process of the engine. Its methods are safe for concurrent use.

    Three threads serve the pipes. The writer is a thread of its own, because Ctrl-C interrupts the
    main thread anywhere, and half a message would make all later ones unreadable.
    """

    def __init__(self) -> None:
        options: dict[str, object] = {}
        if sys.platform == "win32":
            options["creationflags"] = (
                subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
            )
        else:
            # A session of its own: Ctrl-C on the terminal does not end the engine.
            options["start_new_session"] = True
        program = binary()
        try:
            self.process = subprocess.Popen(
                [program, "engine"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                **options,  # type: ignore[call-overload]
            )
        except OSError as e:
            raise EngineError(f"{program} cannot be started: {e}") from e
        self._ids = itertools.count(1)
        # Finalizers send messages, and run wherever memory is allocated.
        self._lock = threading.RLock()
        self._waiting: dict[int, SimpleQueue[wire.Body | None]] = {}
        self._outbox: SimpleQueue[list[Bytes] | None] = SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._stderr_done = threading.Event()
        self._fault = ""
        self.alive = True
        self._threads = [
            threading.Thread(target=work, name=f"bagscope{work.__name__}", daemon=True)
            for work in (self._write, self._read, self._log)
        ]
        for thread in self._threads:
            thread.start()

    def call(self, body: wire.Body, on_event: Event | None = None) -> wire.Body:
        """Send a request and return its answer.

        An exception in this thread, such as KeyboardInterrupt or one of on_event, cancels the
        request.

        Raises
        ------
        BagscopeError
            If the engine answers with a failure, or ends before it answers.
        """
        return self._answer(self._start(body), on_event)

    def answers(
        self,
        bodies: Iterable[wire.Body],
        on_event: Callable[[int], Event | None] = lambda _: None,
        named: Named = unnamed,
        ahead: int = sys.maxsize,
    ) -> Generator[wire.Body, None, None]:
        """Send requests, up to ``ahead`` before their answers, and return answers in order.

        ``on_event`` and ``named`` get the position of a request. Closing the generator cancels the
        requests whose answers it has not returned.
        """
        requests: deque[int] = deque()
        rest = enumerate(bodies)
        try:
            for position in itertools.count():
                for i, body in itertools.islice(rest, ahead - len(requests)):
                    with named(i):
                        requests.append(self._start(body))
                if not requests:
                    return
                with named(position):
                    answer = self._answer(requests[0], on_event(position))
                requests.popleft()
                yield answer
        finally:
            for request in requests:
                self._cancel(request)

    def _start(self, body: wire.Body) -> int:
        """Send a request and return its number."""
        with self._lock:
            request = next(self._ids) & 0xFFFFFFFF
            self._waiting[request] = SimpleQueue()
        try:
            self.send(body, request)
        except BaseException:
            self._cancel(request)
            raise
        return request

    def _answer(self, request: int, on_event: Event | None) -> wire.Body:
        """Wait for the answer to a request."""
        inbox = self._waiting[request]
        try:
            while True:
                message = _get(inbox)
                if message is None:
                    raise self._ended()
                if isinstance(message, wire.Failure):
                    raise error_of(message)
                if not isinstance(message, (wire.Progress, wire.Noted, wire.EvaluateBags)):
                    with self._lock:
                        del self._waiting[request]
                    return message
                if on_event is not None:
                    on_event(self, request, message)
        except BaseException:
            self._cancel(request)
            raise

    def _cancel(self, request: int) -> None:
        """End a request whose answer nobody takes, unless it has ended."""
        with self._lock:
            inbox = self._waiting.pop(request, None)
        if inbox is None or not self.alive:
            return
        self.send(wire.Cancel(request))
        while not inbox.empty():
            self._drop(inbox.get())

    def _drop(self, body: wire.Body | None) -> None:
        """Close what the answer to a cancelled request has opened."""
        if isinstance(body, (wire.ModelOpened, wire.BagsRead, wire.BagOpened)):
            self.send(wire.Release(body.handle))

    def send(self, body: wire.Body, request: int | None = None) -> None:
        """Send a message without waiting for an answer.

        Raises
        ------
        EngineError
            If the message is too long.
        SettingError
            If a field has a value that messages cannot contain.
        """
        if request is None:
            with self._lock:
                request = next(self._ids) & 0xFFFFFFFF
        try:
            parts = encode(request, body)
        except FieldError as e:
            raise SettingError(str(e), {"setting": e.field.rstrip("_")}) from e
        size = sum(len(p) for p in parts)
        if size > MAX_MESSAGE:
            raise EngineError(
                f"a message of {size} bytes is too long; open files by their paths instead of "
                "their bytes"
            )
        self._outbox.put([size.to_bytes(4, "little"), *parts])
        if not self.alive:
            self._wake()

    def close(self) -> None:
        """End the process. Requests that wait raise an EngineError."""
        self.alive = False
        self._outbox.put(None)
        try:
            self.process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self._threads:
            thread.join(_GRACE)

    def forget(self) -> None:
        """Close the pipes of a process that belongs to the parent of a fork."""
        self.alive = False
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        # The process is not a child of this one, so that it cannot be waited for.
        self.process.returncode = 0

    def _write(self) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        while (parts := self._outbox.get()) is not None:
            try:
                for part in _joined(parts):
                    _write_all(stdin, part)
            except OSError:
                break  # the reader notices the end of the process
        with suppress(OSError):
            stdin.close()

    def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        try:
            while (head := _read_exactly(stdout, 4)) is not None:
                data = _read_exactly(stdout, int.from_bytes(head, "little"))
                if data is None:
                    break
                request, body = decode(data)
                with self._lock:
                    inbox = self._waiting.get(request)
                    if inbox is not None:
                        inbox.put(body)
                if inbox is None:
                    self._drop(body)
        except (OSError, ValueError) as e:
            self._fault = str(e)
            self.process.kill()
        self.alive = False
        stdout.close()
        self._outbox.put(None)
        self._wake()

    def _wake(self) -> None:
        with self._lock:
            inboxes = list(self._waiting.values())
        for inbox in inboxes:
            inbox.put(None)

    def _log(self) -> None:
        stderr = self.process.stderr
        assert stderr is not None
        rest = b""
        while data := stderr.read(1 << 16):
            *lines, rest = (rest + data).split(b"\n")
            self._stderr.extend(line.decode(errors="replace") for line in lines)
            rest = rest[-(1 << 12) :]
        if rest:
            self._stderr.append(rest.decode(errors="replace"))
        stderr.close()
        self._stderr_done.set()

    def _ended(self) -> EngineError:
        try:
            code: object = self.process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            code = "none yet"
        self._stderr_done.wait(_GRACE)
        why = f": {self._fault}" if self._fault else ""
        tail = "\n".join(self._stderr)
        return EngineError(
            f"the engine ended during the request (exit code {code}){why}; the next call starts "
            f"a new one" + (f". Its last messages:\n{tail}" if tail else ""),
            {"exit_code": code, "stderr": tail},
        )


def _get(inbox: SimpleQueue[wire.Body | None]) -> wire.Body | None:
    if sys.platform != "win32":
        return inbox.get()
    while True:  # a wait without a timeout would ignore Ctrl-C on Windows
        try:
            return inbox.get(timeout=0.1)
        except Empty:
            pass


def _joined(parts: list[Bytes]) -> list[Bytes]:
    """Join neighbours that are short, so that most messages are one write."""
    out: list[Bytes] = []
    short: list[Bytes] = []
    for part in parts:
        if len(part) < _JOIN_BELOW:
            short.append(part)
            continue
        out += [b"".join(short), part]
        short = []
    return [*out, b"".join(short)]


def _write_all(pipe: IO[bytes], data: Bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[pipe.write(view) :]


def _read_exactly(pipe: IO[bytes], n: int) -> bytes | None:
    """Return n bytes, or None if the pipe ends before them."""
    data = pipe.read(n)
    if len(data) == n:
        return data
    parts = [data]
    while n := n - len(parts[-1]):
        parts.append(pipe.read(min(n, 1 << 20)))
        if not parts[-1]:
            return None
    return b"".join(parts)


_lock = threading.Lock()
_child: Child | None = None


def engine() -> Child:
    """Return the running engine, or start one.

    Raises
    ------
    EngineError
        If it cannot be started.
    """
    global _child
    with _lock:
        if _child is not None and not _child.alive:
            _child.close()  # it crashed between two calls, so that nobody waited for its end
            _child = None
        if _child is None:
            _child = Child()
        return _child


def close() -> None:
    """End the engine. The next call starts a new one."""
    global _child
    with _lock:
        child, _child = _child, None
    if child is not None:
        child.close()


def _after_fork() -> None:
    # The threads of the pipes exist only in the parent, whose engine continues.
    global _child, _lock
    _lock = threading.Lock()
    child, _child = _child, None
    if child is not None:
        child.forget()


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
