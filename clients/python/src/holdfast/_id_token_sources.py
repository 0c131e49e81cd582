"""Where a process gets its platform's ID token: from the source that is named, or from the first that is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ._aws import ask_sts
from ._id_token_command import run_id_token_command
from ._identity import audience_of, check_id_token, no_id_token
from ._platform import ask_github, ask_google, read_file
from ._variables import Variables


class _Source(NamedTuple):
    #: The variables that it needs. A source without any is used only if it is named.
    needs: tuple[str, ...]
    #: Completes "To use it, …".
    to_set: str
    title: str
    get: Callable[[str, Variables], str]


_SOURCES: Mapping[str, _Source] = {
    "command": _Source(
        ("HOLDFAST_ID_TOKEN_COMMAND",),
        "set HOLDFAST_ID_TOKEN_COMMAND to a command that prints the token",
        "HOLDFAST_ID_TOKEN_COMMAND",
        run_id_token_command,
    ),
    "variable": _Source(
        ("HOLDFAST_ID_TOKEN",),
        "set HOLDFAST_ID_TOKEN to the token",
        "HOLDFAST_ID_TOKEN",
        lambda _, variables: variables.get("HOLDFAST_ID_TOKEN"),
    ),
    "file": _Source(
        ("HOLDFAST_ID_TOKEN_FILE",),
        "set HOLDFAST_ID_TOKEN_FILE to the path of a file that contains the token",
        "HOLDFAST_ID_TOKEN_FILE",
        lambda _, variables: _read_id_token(variables.get("HOLDFAST_ID_TOKEN_FILE")),
    ),
    "github": _Source(
        ("ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"),
        "give the GitHub Actions job the permission id-token: write",
        "GitHub Actions",
        ask_github,
    ),
    "aws": _Source((), "set HOLDFAST_ID_TOKEN_SOURCE to aws on AWS", "AWS STS", ask_sts),
    "gcp": _Source((), "set HOLDFAST_ID_TOKEN_SOURCE to gcp on Google Cloud", "Google’s metadata server", ask_google),
}


def platform_assertion(identity: str, variables: Variables) -> Callable[[], str]:
    """A function that gets the platform's token for this process. Raises ``HoldfastError`` if there is no source."""
    source = _source_in(variables)
    audience = audience_of(identity)
    return lambda: check_id_token(source.title, source.get(audience, variables))


def _source_in(variables: Variables) -> _Source:
    name = variables.get("HOLDFAST_ID_TOKEN_SOURCE")
    if name:
        named = _SOURCES.get(name)
        if named is None:
            raise no_id_token(f"HOLDFAST_ID_TOKEN_SOURCE names no source: set it to {_one_of(list(_SOURCES))}.")
        absent = _missing(named, variables)
        if not absent:
            return named
        raise no_id_token(f"HOLDFAST_ID_TOKEN_SOURCE is {name}, but {absent[0]} is not set: {named.to_set}.")
    for source in _SOURCES.values():
        if source.needs and not _missing(source, variables):
            return source
    to_set = _one_of([source.to_set for source in _SOURCES.values()])
    raise no_id_token(f"HOLDFAST_IDENTITY is set, but nothing provides its ID token: {to_set}.")


def _missing(source: _Source, variables: Variables) -> list[str]:
    return [one for one in source.needs if not variables.get(one)]


def _one_of(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _read_id_token(path: str) -> str:
    def failed(reason: str, cause: OSError) -> Exception:
        tried = f"{path} could not be read ({reason})"
        to_set = "set HOLDFAST_ID_TOKEN_FILE to the path of a file that contains the token"
        return no_id_token(f"{tried}: {to_set}.", cause=cause)

    return read_file(path, failed)
