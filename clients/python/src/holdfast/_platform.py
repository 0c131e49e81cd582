"""Files and servers of a platform that provide tokens and credentials."""

from __future__ import annotations

import json
import time
import urllib.parse
from collections.abc import Callable, Mapping

from ._checks import is_address
from ._errors import HoldfastError, ServiceTimeoutError, reason_of
from ._http import Exchange, Request, RequestFailedError, Response
from ._identity import no_id_token
from ._variables import Variables

_GITHUB_LIMIT = 10.0
#: A metadata server that is there answers in milliseconds; one that is not never answers.
_METADATA_LIMIT = 2.0
#: On Kubernetes, a pod may start before the metadata server accepts its connections.
_PAUSES = (0.25, 1.0)
_MOST_BYTES = 65_536
_FLAVOR = "Google"
_GOOGLE_PATH = "/computeMetadata/v1/instance/service-accounts/default/identity"


class PlatformUnreachableError(Exception):
    """Its message is the reason."""


def late() -> Exception:
    return ServiceTimeoutError("No answer in time.", "timeout")


def send(exchange: Exchange) -> Response:
    """Raises ``PlatformUnreachableError`` if there is no answer."""
    try:
        return exchange.run(late)
    except RequestFailedError as failed:
        reason = reason_of(failed.failure)
    except ServiceTimeoutError as failure:
        reason = reason_of(failure)
    raise PlatformUnreachableError(reason)


def ask_platform(url: str, headers: Mapping[str, str], method: str = "GET") -> Response:
    """Asks a metadata server or container agent. Raises ``PlatformUnreachableError`` after three attempts.

    These use plain HTTP and their answers are credentials, so the request never passes through a proxy, whatever the
    environment configures, and follows no redirect.
    """
    for pause in (*_PAUSES, None):
        exchange = Exchange(Request(method, url, headers), _METADATA_LIMIT, direct=True, most_bytes=_MOST_BYTES)
        try:
            response = send(exchange)
            if pause is None or (response.status < 500 and response.status != 429):
                return response
        except PlatformUnreachableError:
            if pause is None:
                raise
        time.sleep(pause)
    raise AssertionError("The last attempt returns or raises.")


def read_file(path: str, failed: Callable[[str, OSError], Exception]) -> str:
    """Read each time: platforms renew their files. Raises what ``failed`` returns for a reason."""
    failure: Exception
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        failure = failed(reason_of(error), error)
    except ValueError:
        failure = failed("it is not a path", OSError())
    raise failure


def read_named_file(path: str, variable: str) -> str:
    """Reads the file that an environment variable names. Raises ``HoldfastError`` that names both."""

    def failed(reason: str, cause: OSError) -> HoldfastError:
        message = f"{variable} names {path}, which could not be read ({reason}): set it to a readable file."
        return no_id_token(message, cause=cause)

    return read_file(path, failed).strip()


def ask_github(audience: str, variables: Variables) -> str:
    def failed(reason: str, retryable: bool) -> HoldfastError:
        message = f"GitHub Actions returned no token ({reason}): check that the job has the permission id-token: write."
        return no_id_token(message, retryable=retryable)

    reason, retryable = "it is not an address", False
    if is_address(variables.get("ACTIONS_ID_TOKEN_REQUEST_URL")):
        try:
            response = send(Exchange(_github_request(audience, variables), _GITHUB_LIMIT, most_bytes=_MOST_BYTES))
            value = _value_in(response) if 200 <= response.status <= 299 else None
            if value:
                return value
            reason, retryable = f"it answered {response.status}", response.status >= 500 or response.status == 429
        except PlatformUnreachableError as failure:
            reason, retryable = str(failure), True
    raise failed(reason, retryable)


def _github_request(audience: str, variables: Variables) -> Request:
    parts = urllib.parse.urlsplit(variables.get("ACTIONS_ID_TOKEN_REQUEST_URL"))
    query = urllib.parse.urlencode([*urllib.parse.parse_qsl(parts.query, True), ("audience", audience)])
    bearer = variables.get("ACTIONS_ID_TOKEN_REQUEST_TOKEN")
    headers = {"Accept": "application/json", "Authorization": f"Bearer {bearer}"}
    return Request("GET", urllib.parse.urlunsplit(parts._replace(query=query)), headers)


def _value_in(response: Response) -> str | None:
    try:
        body = json.loads(response.text)
    except ValueError:
        return None
    value = body.get("value") if isinstance(body, dict) else None
    return value if isinstance(value, str) else None


def ask_google(audience: str, variables: Variables) -> str:
    """An ID token of the attached service account. The server may return the same token again for up to an hour.

    https://cloud.google.com/compute/docs/instances/verifying-instance-identity
    """
    host = variables.get("GCE_METADATA_HOST") or "metadata.google.internal"

    def failed(reason: str) -> HoldfastError:
        return no_id_token(
            f"Google’s metadata server at {host} returned no token ({reason}): run this on Google Cloud with a service "
            "account, or set another HOLDFAST_ID_TOKEN_SOURCE."
        )

    # As in Google's own libraries, the variable may hold an address too.
    base = host if host.startswith(("http://", "https://")) else f"http://{host}"
    if not is_address(base):
        raise failed("GCE_METADATA_HOST is not a host")
    query = urllib.parse.urlencode({"audience": audience, "format": "full"})
    url = f"{urllib.parse.urljoin(base, _GOOGLE_PATH)}?{query}"
    try:
        response = ask_platform(url, {"Metadata-Flavor": _FLAVOR})
    except PlatformUnreachableError as failure:
        raise failed(str(failure)) from None
    # Another server at this address, such as a captive portal, does not set it.
    if response.headers.get("metadata-flavor") != _FLAVOR:
        raise failed("another server answered")
    if response.status != 200:
        raise failed(f"it answered {response.status}")
    return response.text
