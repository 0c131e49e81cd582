"""A time limit for the whole of some work, and one run of it for several threads."""

from __future__ import annotations

import concurrent.futures
import contextvars
import os
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


def in_time(work: Callable[[], T], limit: float, late: Callable[[], Exception], abort: Callable[[], None]) -> T:
    """Ends with the work or the time limit, even if the work never ends.

    A socket's own timeout limits each of its reads, and resolving a name has none at all, so the work has a thread.
    """
    outcome: concurrent.futures.Future[T] = concurrent.futures.Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            outcome.set_result(context.run(work))
        except BaseException as failure:  # Raised again by the thread that waits.
            outcome.set_exception(failure)

    threading.Thread(target=run, name="holdfast", daemon=True).start()
    try:
        done, _ = concurrent.futures.wait([outcome], timeout=limit)
        if not done:
            raise late()
    finally:
        if not outcome.done():
            abort()
    return outcome.result()


class SharedCalls(Generic[T]):
    """Threads that call with the same key at the same time share one call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Hashable, concurrent.futures.Future[T]] = {}

    def call(self, key: Hashable, work: Callable[[], T]) -> T:
        # A forked process inherits calls whose threads it doesn't have.
        own_key = (os.getpid(), key)
        while True:
            with self._lock:
                other = self._open.get(own_key)
                if other is None:
                    mine: concurrent.futures.Future[T] = concurrent.futures.Future()
                    self._open[own_key] = mine
            if other is None:
                return self._lead(own_key, mine, work)
            try:
                return other.result()
            except concurrent.futures.CancelledError:
                continue

    def _lead(self, own_key: Hashable, mine: concurrent.futures.Future[T], work: Callable[[], T]) -> T:
        try:
            result = work()
        except Exception as failure:
            self._close(own_key)
            mine.set_exception(failure)
            raise
        except BaseException:
            # The others didn't ask for this thread to be interrupted, so one of them calls again.
            self._close(own_key)
            mine.cancel()
            raise
        self._close(own_key)
        mine.set_result(result)
        return result

    def _close(self, own_key: Hashable) -> None:
        with self._lock:
            del self._open[own_key]
