"""A shell command that prints the platform's ID token."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from typing import IO

from ._errors import HoldfastError, reason_of
from ._identity import no_id_token
from ._variables import Variables

_LIMIT = 30.0
#: No header could carry a longer token.
_MOST_OUTPUT = 65_536
#: The end of standard error is shown, because programs say there why they stop.
_SHOWN = 2_000


class _Reader(threading.Thread):
    """Reads a stream to its end, and stops early once it has too much of standard output."""

    def __init__(self, stream: IO[bytes], *, only_end: bool) -> None:
        super().__init__(name="holdfast", daemon=True)
        self._stream = stream
        self._only_end = only_end
        self.content = b""

    def run(self) -> None:
        # Closed by the thread that reads, which may still do so after the command took too long.
        with self._stream:
            for chunk in iter(lambda: os.read(self._stream.fileno(), 8_192), b""):
                self.content += chunk
                if self._only_end:
                    self.content = self.content[-4 * _SHOWN :]
                elif len(self.content) > _MOST_OUTPUT:
                    return


def run_id_token_command(audience: str, variables: Variables, limit: float = _LIMIT) -> str:
    """Runs ``HOLDFAST_ID_TOKEN_COMMAND`` in a shell.

    As with ``credential_process`` of the AWS SDKs, it writes the token to standard output, which no message ever shows.
    """
    try:
        process = subprocess.Popen(
            variables.get("HOLDFAST_ID_TOKEN_COMMAND"),
            shell=True,
            # In a process group of its own, so that everything it started ends with it.
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=variables.with_one("HOLDFAST_AUDIENCE", audience),
        )
    except OSError as error:
        raise _failed(f"could not be started ({reason_of(error)})", b"") from None
    assert process.stdout is not None and process.stderr is not None

    def kill() -> None:
        _kill_group(process)

    atexit.register(kill)
    try:
        return _output_of(process, process.stdout, process.stderr, limit)
    except HoldfastError:
        kill()
        process.wait()
        raise
    finally:
        atexit.unregister(kill)


def _output_of(process: subprocess.Popen[bytes], stdout: IO[bytes], stderr: IO[bytes], limit: float) -> str:
    deadline = time.monotonic() + limit
    output, complaint = _Reader(stdout, only_end=False), _Reader(stderr, only_end=True)
    for reader in (output, complaint):
        reader.start()
    for reader in (output, complaint):
        reader.join(max(0.0, deadline - time.monotonic()))
        if len(output.content) > _MOST_OUTPUT:
            raise _failed(f"printed more than {_MOST_OUTPUT} characters", complaint.content)
    try:
        if output.is_alive() or complaint.is_alive():
            raise subprocess.TimeoutExpired("", limit)
        code = process.wait(max(0.001, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise _failed(f"did not end within {limit:g} seconds", complaint.content) from None
    if code < 0:
        raise _failed(f"was ended by {signal.Signals(-code).name}", complaint.content)
    if code > 0:
        raise _failed(f"ended with exit code {code}", complaint.content)
    text = output.content.decode("utf-8", "replace")
    if not text.strip():
        raise _failed("printed nothing", complaint.content)
    return text


def _failed(problem: str, complaint: bytes) -> HoldfastError:
    said = complaint.decode("utf-8", "replace").strip()[-_SHOWN:]
    suffix = f"\n{said}" if said else ""
    return no_id_token(f"HOLDFAST_ID_TOKEN_COMMAND {problem}: set it to a command that prints the token.{suffix}")


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        # Windows can't end what a process has started. This ends the shell.
        process.kill()
        return
    # Nothing of it may be left.
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
