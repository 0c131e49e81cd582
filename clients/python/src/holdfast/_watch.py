"""Polls that yield each new revision once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterator
from typing import TypeVar

from ._errors import HoldfastError
from ._latest import is_outage
from ._snapshot import Snapshot
from ._transport import Transport

S = TypeVar("S", bound=Snapshot)

OnError = Callable[[HoldfastError], None]

logger = logging.getLogger("holdfast")


def watch_pulls(
    transport: Transport,
    pull: Callable[[], S],
    version_of: Callable[[S], Hashable],
    interval: float,
    on_error: OnError | None,
) -> Iterator[S]:
    """``version_of`` differs between two snapshots unless they are of the same revision."""
    if not interval > 0:
        raise ValueError("interval must be above 0.")
    return _poll(transport, pull, version_of, interval, on_error or _log)


def _poll(
    transport: Transport,
    pull: Callable[[], S],
    version_of: Callable[[S], Hashable],
    interval: float,
    on_error: OnError,
) -> Iterator[S]:
    last: Hashable = None
    while not transport.is_closed:
        wait = interval
        snapshot: S | None = None
        try:
            snapshot = pull()
        except HoldfastError as error:
            if last is None or not _may_pass(error):
                raise
            on_error(error)
            wait = max(wait, error.retry_after or 0.0)
        except RuntimeError:
            if transport.is_closed:
                return
            raise
        # Any other revision, not only a higher one: a new environment may reuse the slug.
        if snapshot is not None and version_of(snapshot) != last:
            last = version_of(snapshot)
            yield snapshot
        transport.pause(wait)


def _log(error: HoldfastError) -> None:
    logger.warning("A poll failed (%s): %s", error.code, error)


def _may_pass(error: HoldfastError) -> bool:
    """A platform's token that was used already is replaced in time, and access doesn't end meanwhile."""
    return is_outage(error) or error.code == "assertion_replayed"
