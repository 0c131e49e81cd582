"""AWS STS: its address in each region, signed calls, and what to do about its errors."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import re
import urllib.parse
from collections.abc import Callable, Mapping

from ._checks import is_address
from ._http import Exchange, Request
from ._identity import no_id_token
from ._platform import PlatformUnreachableError, send

_LIMIT = 10.0
_VERSION = "2011-06-15"

#: The DNS suffixes of AWS's partitions, by the regions' first words. All other regions use the last one.
_SUFFIXES = {
    "cn-": "amazonaws.com.cn",
    "eusc-": "amazonaws.eu",
    "us-iso-": "c2s.ic.gov",
    "us-isob-": "sc2s.sgov.gov",
    "eu-isoe-": "cloud.adc-e.uk",
    "us-isof-": "csp.hci.ic.gov",
    "eu-isof-": "csp.hci.ic.gov",
    "": "amazonaws.com",
}

#: What to do about an error of STS. Its messages are not shown, because they may quote the session token.
_REMEDIES = {
    "AccessDenied": "allow the role sts:GetWebIdentityToken",
    "OutboundWebIdentityFederationDisabled": (
        "enable outbound identity federation in the account (aws iam enable-outbound-web-identity-federation)"
    ),
    "SessionDurationEscalation": "wait for new AWS credentials, because these expire within five minutes",
}
_OTHER_REMEDY = "check the AWS credentials and AWS_REGION"
_FORM = "application/x-www-form-urlencoded"


class Credentials:
    __slots__ = ("access_key_id", "secret_access_key", "session_token")

    def __init__(self, access_key_id: str, secret_access_key: str, session_token: str) -> None:
        """``session_token`` may be empty."""
        self.access_key_id = access_key_id
        self.secret_access_key = secret_access_key
        self.session_token = session_token


class Sts:
    """STS in a region; GetWebIdentityToken is not available at the global endpoint."""

    def __init__(self, region: str, endpoint: str) -> None:
        suffix = next(suffix for prefix, suffix in _SUFFIXES.items() if region.startswith(prefix))
        given = endpoint or f"https://sts.{region}.{suffix}"
        if not is_address(given):
            raise no_id_token(f"{given} is not an address: set AWS_REGION or AWS_ENDPOINT_URL_STS.")
        self._region = region
        self.url = given if urllib.parse.urlsplit(given).path else f"{given}/"

    def call(
        self,
        action: str,
        parameters: Mapping[str, str],
        credentials: Credentials | None = None,
        *,
        web_identity: str | None = None,
    ) -> Callable[[str], str]:
        """Returns a function for the text of an element in the answer, by its name."""
        request = self._request_of(action, parameters, credentials, web_identity)
        # Debuggers and error reports show the local variables of each frame.
        del web_identity
        try:
            response = send(Exchange(request, _LIMIT))
        except PlatformUnreachableError as failure:
            tried = f"AWS STS at {self.url} did not answer {action} ({failure})"
            raise no_id_token(f"{tried}: check AWS_REGION and AWS_ENDPOINT_URL_STS.", retryable=True) from None
        if response.status == 200:
            return lambda name: _element_of(response.text, name)
        code = re.sub(r"Exception$", "", _element_of(response.text, "Code"))
        code = code if re.fullmatch(r"\w{1,100}", code, re.ASCII) else ""
        answer = f"{response.status} {code}".strip()
        retryable = response.status >= 500 or response.status == 429 or code == "Throttling"
        remedy = _REMEDIES.get(code, _OTHER_REMEDY)
        raise no_id_token(f"AWS STS at {self.url} refused {action} ({answer}): {remedy}.", retryable=retryable)

    def _request_of(
        self,
        action: str,
        parameters: Mapping[str, str],
        credentials: Credentials | None,
        web_identity: str | None,
    ) -> Request:
        token = {} if web_identity is None else {"WebIdentityToken": web_identity}
        form = {"Action": action, "Version": _VERSION, **parameters, **token}
        body = urllib.parse.urlencode(form).encode()
        headers = {"Content-Type": _FORM}
        if credentials is not None:
            headers = _signed_headers(self.url, body, self._region, credentials)
        return Request("POST", self.url, headers, body)


def _signed_headers(url: str, body: bytes, region: str, credentials: Credentials) -> dict[str, str]:
    """AWS Signature Version 4, of a POST without a query.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
    """
    now = datetime.datetime.now(datetime.timezone.utc)
    day, moment = f"{now:%Y%m%d}", f"{now:%Y%m%dT%H%M%SZ}"
    parts = urllib.parse.urlsplit(url)
    headers = {"content-type": _FORM, "host": parts.netloc, "x-amz-date": moment}
    if credentials.session_token:
        headers["x-amz-security-token"] = credentials.session_token
    names = ";".join(sorted(headers))
    lines = [f"{name}:{headers[name]}" for name in sorted(headers)]
    path = urllib.parse.quote(parts.path, safe="/-_.~%")
    canonical = "\n".join(["POST", path, "", *lines, "", names, hashlib.sha256(body).hexdigest()])
    scope = f"{day}/{region}/sts/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", moment, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{credentials.secret_access_key}".encode()
    for part in (day, region, "sts", "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    credential = f"Credential={credentials.access_key_id}/{scope}"
    headers["authorization"] = f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={names}, Signature={signature}"
    return headers


def _element_of(xml: str, name: str) -> str:
    """The text of the first element of this name that contains only text."""
    found = re.search(f"<{name}>([^<]*)</{name}>", xml)
    entities = {"lt": "<", "gt": ">", "quot": '"', "apos": "'", "amp": "&"}
    text = found.group(1) if found else ""
    return re.sub("&(lt|gt|quot|apos|amp);", lambda match: entities[match.group(1)], text).strip()
