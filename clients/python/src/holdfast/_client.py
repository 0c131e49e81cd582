"""A client of one service, with one credential."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Callable, Iterator, Optional, Sequence, Union

from ._environment import Environment
from ._errors import HoldfastError
from ._id_token_sources import platform_assertion
from ._identity import IDENTITY_TIMEOUT, IdentityToken, audience_of, check_id_token, no_id_token
from ._platform import read_file
from ._pull import OnError
from ._snapshot import LayeredSnapshot
from ._transport import TokenFunction, Transport
from ._variables import Variables
from ._watch import watch_pulls

#: Bounds the memory of a process that visits many environments.
_KEPT_ENVIRONMENTS = 100

Layers = Sequence[Union[str, Environment]]


class Holdfast:
    """A client of one service, with one credential. Threads can share it.

    It can be used in a ``with`` statement, which closes it.
    """

    def __init__(
        self,
        url: str,
        token: Union[str, TokenFunction],
        *,
        timeout: float = 30.0,
        attempt_timeout: float = 10.0,
        token_timeout: float | None = None,
        retries: int = 3,
        wait: float | None = None,
        max_age: float = 0.0,
        stale_if_error: float = 0.0,
        user_agent: str | None = None,
    ) -> None:
        """All times are in seconds.

        ``url`` is the address of the service, with or without ``/v1``. ``token`` is a bearer token, or a function that
        returns one before each attempt; after a 401 it gets the token that was rejected, and if it returns another one,
        the request is sent once more.

        ``timeout`` limits one call with all attempts and pauses, ``attempt_timeout`` one attempt, ``token_timeout`` one
        call of the token function, which the other limits don't count. ``retries`` are attempts after the first.
        ``wait`` limits the pauses of one call that the service asks for: after a 429, or by ``Retry-After``. They don't
        count towards ``timeout`` and ``retries`` then.

        An answer younger than ``max_age`` is returned without asking the service. During an outage, an answer confirmed
        less than ``stale_if_error`` ago is returned, marked ``stale``; never after 401, 403, 404. Audit entries show
        ``user_agent``.
        """
        self._transport = Transport(
            url,
            token,
            timeout=timeout,
            attempt_timeout=attempt_timeout,
            token_timeout=token_timeout,
            retries=retries,
            wait=wait,
            user_agent=user_agent,
        )
        self._max_age = max_age
        self._stale_if_error = stale_if_error
        self._lock = threading.Lock()
        self._environments: OrderedDict[str, Environment] = OrderedDict()

    @classmethod
    def from_environment(
        cls,
        *,
        id_token: Optional[Callable[[str], str]] = None,
        timeout: float = 30.0,
        attempt_timeout: float = 10.0,
        token_timeout: float | None = None,
        retries: int = 3,
        wait: float | None = None,
        max_age: float = 0.0,
        stale_if_error: float = 0.0,
        user_agent: str | None = None,
    ) -> Holdfast:
        """Uses the address in ``HOLDFAST_URL`` and the token in ``HOLDFAST_TOKEN``, else in ``HOLDFAST_TOKEN_FILE``.

        Without a token it signs in as the identity ``HOLDFAST_IDENTITY`` of the organization ``HOLDFAST_ORG``, with the
        ID token that ``id_token`` returns for an audience, or that the platform provides.
        """
        variables = Variables(os.environ)
        url = _required(variables, "HOLDFAST_URL")
        token = _token_in(variables) or _identity_in(variables, url, id_token, user_agent)
        if isinstance(token, IdentityToken) and token_timeout is None:
            token_timeout = IDENTITY_TIMEOUT
        return cls(
            url,
            token,
            timeout=timeout,
            attempt_timeout=attempt_timeout,
            token_timeout=token_timeout,
            retries=retries,
            wait=wait,
            max_age=max_age,
            stale_if_error=stale_if_error,
            user_agent=user_agent,
        )

    def __enter__(self) -> Holdfast:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Holdfast {self._transport.origin}>"

    def close(self) -> None:
        """Forgets the token and all values, and ends the requests and watches of all threads."""
        self._transport.close()
        with self._lock:
            environments = list(self._environments.values())
        for environment in environments:
            environment._forget()

    def environment(self, name: str) -> Environment:
        """``name`` is ``organization/project/environment``.

        The same name returns the same object, so its pulls share requests and the latest answer.
        """
        with self._lock:
            known = self._environments.get(name)
            if known is None:
                known = Environment(
                    self._transport, name, max_age=self._max_age, stale_if_error=self._stale_if_error
                )
                self._environments[name] = known
            self._environments.move_to_end(name)
            if len(self._environments) > _KEPT_ENVIRONMENTS:
                self._environments.popitem(last=False)
            return known

    def layers(
        self, environments: Layers, *, max_age: float | None = None, stale_if_error: float | None = None
    ) -> LayeredSnapshot:
        """Pulls several environments as one: where several have a key, the last one wins.

        ``environments`` has the lowest layer first: environments or their names. Each pull is audited on its own. If
        one is refused, so is the whole.
        """
        return _pull_layers(self._layers_of(environments), max_age, stale_if_error)

    def watch_layers(
        self, environments: Layers, *, interval: float = 10.0, on_error: Optional[OnError] = None
    ) -> Iterator[LayeredSnapshot]:
        """Like ``Environment.watch``: yields the layers' secrets, then again after each new revision of any of them."""
        pulled = self._layers_of(environments)
        return watch_pulls(
            self._transport, lambda: _pull_layers(pulled, 0, 0), lambda snapshot: snapshot.layers, interval, on_error
        )

    def _layers_of(self, environments: Layers) -> list[Environment]:
        if isinstance(environments, str) or not environments:
            raise ValueError("layers takes a list of environments, which is not empty.")
        return [self.environment(one) if isinstance(one, str) else one for one in environments]


def _pull_layers(
    environments: Sequence[Environment], max_age: float | None, stale_if_error: float | None
) -> LayeredSnapshot:
    """Pulls all layers side by side. If one fails, so does the whole: never a part of them."""
    threads = ThreadPoolExecutor(len(environments))
    try:
        pulls = [
            threads.submit(environment.pull, max_age=max_age, stale_if_error=stale_if_error)
            for environment in environments
        ]
        done, _ = wait(pulls, return_when=FIRST_EXCEPTION)
        for pull in done:
            pull.result()
        return LayeredSnapshot([(one.name, pull.result()) for one, pull in zip(environments, pulls)])
    finally:
        # A failure is not kept waiting by the others.
        threads.shutdown(wait=False)


def _required(variables: Variables, name: str) -> str:
    value = variables.get(name).strip()
    if not value:
        raise ValueError(f"The environment variable {name} is not set.")
    return value


def _token_in(variables: Variables) -> Union[str, TokenFunction, None]:
    token = variables.get("HOLDFAST_TOKEN").strip()
    path = variables.get("HOLDFAST_TOKEN_FILE").strip()
    if token or not path:
        return token or None

    def failed(reason: str, cause: OSError) -> HoldfastError:
        message = f"HOLDFAST_TOKEN_FILE names {path}, which could not be read ({reason}): set it to a readable file."
        return no_id_token(message, cause=cause)

    def read(_: Optional[str]) -> str:
        return read_file(path, failed)

    # Fails here, not at the first call. Later it is read each time, because platforms renew it.
    read(None)
    return read


def _identity_in(
    variables: Variables, url: str, id_token: Optional[Callable[[str], str]], user_agent: str | None
) -> IdentityToken:
    if not variables.get("HOLDFAST_IDENTITY").strip() and id_token is None:
        _required(variables, "HOLDFAST_TOKEN")
    organization = _required(variables, "HOLDFAST_ORG")
    identity = _required(variables, "HOLDFAST_IDENTITY")
    if id_token is None:
        return IdentityToken(url, organization, identity, platform_assertion(identity, variables), user_agent)
    own = id_token
    assertion = lambda: check_id_token("id_token", own(audience_of(identity)))  # noqa: E731
    return IdentityToken(url, organization, identity, assertion, user_agent)
