"""An ID token from AWS STS, with the credentials that the default chain of the AWS SDKs finds."""

from __future__ import annotations

import json
import re
import time
import urllib.parse
from collections.abc import Callable

from ._checks import is_address
from ._errors import HoldfastError
from ._http import Response
from ._identity import no_id_token
from ._platform import PlatformUnreachableError, ask_platform, read_named_file
from ._sts import Credentials, Sts
from ._token import Token
from ._variables import Variables

#: https://docs.aws.amazon.com/sdkref/latest/guide/feature-imds-credentials.html
_INSTANCE_ENDPOINTS = {"ipv4": "http://169.254.169.254", "ipv6": "http://[fd00:ec2::254]"}
_TASK_HOST = "http://169.254.170.2"
_ROLES = "/latest/meta-data/iam/security-credentials/"
_WHAT_TO_SET = (
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, or "
    "AWS_CONTAINER_CREDENTIALS_FULL_URI, or attach a role to the instance"
)


def ask_sts(audience: str, variables: Variables) -> str:
    """https://docs.aws.amazon.com/STS/latest/APIReference/API_GetWebIdentityToken.html"""
    sts = Sts(_region_in(variables), variables.get("AWS_ENDPOINT_URL_STS"))
    credentials = _credentials_in(variables, sts)
    parameters = {"Audience.member.1": audience, "SigningAlgorithm": "ES384", "DurationSeconds": "300"}
    return sts.call("GetWebIdentityToken", parameters, credentials)("WebIdentityToken")


def _credentials_in(variables: Variables, sts: Sts) -> Credentials:
    """The first source whose variables are set is used; if it fails, no other is tried."""
    if variables.get("AWS_ACCESS_KEY_ID") and variables.get("AWS_SECRET_ACCESS_KEY"):
        names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
        return Credentials(*(variables.get(name) for name in names))
    file, role = variables.get("AWS_WEB_IDENTITY_TOKEN_FILE"), variables.get("AWS_ROLE_ARN")
    if file and role:
        # IAM roles for service accounts: the projected token is exchanged for the role's credentials.
        parameters = {
            "RoleArn": role,
            "RoleSessionName": variables.get("AWS_ROLE_SESSION_NAME") or f"holdfast-{int(time.time() * 1000)}",
        }
        element = sts.call(
            "AssumeRoleWithWebIdentity", parameters, web_identity=read_named_file(file, "AWS_WEB_IDENTITY_TOKEN_FILE")
        )
        return Credentials(element("AccessKeyId"), element("SecretAccessKey"), element("SessionToken"))
    container = _container_address(variables)
    if container:
        return _ask_container(container, variables)
    read = _instance_metadata(variables)
    name = read(_ROLES).strip().split("\n")[0]
    return _parsed_credentials(read(_ROLES + name), "The instance metadata")


def _region_in(variables: Variables) -> str:
    """``AWS_REGION``, or the region of the instance where its metadata provides the credentials."""
    region = variables.get("AWS_REGION") or variables.get("AWS_DEFAULT_REGION")
    if not region:
        elsewhere = any(variables.get(name) for name in ("AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE"))
        if elsewhere or _container_address(variables):
            raise no_id_token("The source aws needs a region, but none is set: set AWS_REGION.")
        region = _instance_metadata(variables)("/latest/meta-data/placement/region").strip()
    # A region becomes part of a host name, so anything else could name another host.
    if re.fullmatch(r"[a-z0-9-]{1,40}", region):
        return region
    raise no_id_token("The AWS region is not a region’s name, such as eu-west-1: set AWS_REGION.")


def _container_address(variables: Variables) -> str:
    relative = variables.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
    return _TASK_HOST + relative if relative else variables.get("AWS_CONTAINER_CREDENTIALS_FULL_URI")


def _ask_container(address: str, variables: Variables) -> Credentials:
    """ECS and EKS Pod Identity."""
    if not is_trusted_container_address(address):
        raise no_id_token(
            "The container’s credentials were not requested: set AWS_CONTAINER_CREDENTIALS_FULL_URI to an https "
            "address, or to http on this machine or at an address that AWS reserves for it."
        )
    parts = urllib.parse.urlsplit(address)
    origin = f"{parts.scheme}://{parts.netloc}"

    def failed(reason: str) -> HoldfastError:
        return no_id_token(
            f"The container’s endpoint {origin} returned no AWS credentials ({reason}): check "
            "AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI and its authorization token."
        )

    # Read each time: EKS renews the file.
    file = variables.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
    variable = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
    token = Token(read_named_file(file, f"{variable}_FILE") if file else variables.get(variable))
    if not re.fullmatch(r"[\x20-\x7e]*", token.text):
        raise failed("its token is not one line of ASCII characters")
    try:
        response = _ask_with_token(address, token)
    except PlatformUnreachableError as failure:
        raise failed(str(failure)) from None
    if response.status != 200:
        raise failed(f"it answered {response.status}")
    return _parsed_credentials(response.text, f"The container’s endpoint {origin}")


def _ask_with_token(address: str, token: Token) -> Response:
    authorization = {"Authorization": token.text} if token.text else {}
    return ask_platform(address, {"Accept": "application/json", **authorization})


def is_trusted_container_address(address: str) -> bool:
    """The hosts that the AWS SDKs allow. Over plain HTTP, any other could read the container's token and credentials.

    https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
    """
    if not is_address(address):
        return False
    url = urllib.parse.urlsplit(address)
    if url.scheme == "https":
        return True
    # Without credentials in the address, which the text before an @ would be.
    hosts = r"localhost|::1|127\.[0-9]+\.[0-9]+\.[0-9]+|169\.254\.170\.(?:2|23)|fd00:ec2::23"
    return url.username is None and re.fullmatch(hosts, url.hostname or "") is not None


def _instance_metadata(variables: Variables) -> Callable[[str], str]:
    """Instance metadata, version 2 only: version 1 has no token. Returns a function that reads a path."""
    disabled = variables.get("AWS_EC2_METADATA_DISABLED")
    if disabled and disabled != "false":
        raise no_id_token(f"No AWS credentials were found, and AWS_EC2_METADATA_DISABLED is set: {_WHAT_TO_SET}.")
    mode = variables.get("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE").lower()
    base = (
        variables.get("AWS_EC2_METADATA_SERVICE_ENDPOINT") or _INSTANCE_ENDPOINTS["ipv6" if mode == "ipv6" else "ipv4"]
    )

    def failed(reason: str) -> HoldfastError:
        return no_id_token(f"No AWS credentials were found in variables or at {base} ({reason}): {_WHAT_TO_SET}.")

    if not is_address(base):
        raise failed("AWS_EC2_METADATA_SERVICE_ENDPOINT is not an address")

    def ask(path: str, header: str, value: str, method: str = "GET") -> str:
        try:
            response = ask_platform(urllib.parse.urljoin(base, path), {header: value}, method)
        except PlatformUnreachableError as failure:
            raise failed(str(failure)) from None
        if response.status != 200:
            raise failed(f"it answered {response.status}")
        return response.text

    def read(path: str) -> str:
        token = ask("/latest/api/token", "X-Aws-Ec2-Metadata-Token-Ttl-Seconds", "60", "PUT")
        return ask(path, "X-Aws-Ec2-Metadata-Token", token)

    return read


def _parsed_credentials(text: str, source: str) -> Credentials:
    """The JSON of the container's endpoint and of the instance metadata."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    fields = value if isinstance(value, dict) else {}
    found = [fields.get(name) for name in ("AccessKeyId", "SecretAccessKey", "Token")]
    texts = [field for field in found if isinstance(field, str)]
    if len(texts) == len(found):
        return Credentials(*texts)
    # Debuggers and error reports show the local variables of each frame.
    del text, value, fields, found, texts
    raise no_id_token(f"{source} returned no AWS credentials: {_WHAT_TO_SET}.")
