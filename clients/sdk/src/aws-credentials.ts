import { isObject } from './errors.ts';
import { noIdToken } from './id-token-failure.ts';
import type { Variables } from './identity.ts';
import { askPlatform } from './platform-request.ts';
import { readNamedFile } from './read-named-file.ts';
import type { AwsCredentials } from './sign-sts-request.ts';
import { type Sts, stsVersion } from './sts.ts';

/** https://docs.aws.amazon.com/sdkref/latest/guide/feature-imds-credentials.html */
const instanceEndpoints = { ipv4: 'http://169.254.169.254', ipv6: 'http://[fd00:ec2::254]' };
const taskHost = 'http://169.254.170.2';
const whatToSet =
  'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, or AWS_CONTAINER_CREDENTIALS_FULL_URI, or attach a role to the instance';

/**
 * Finds the credentials that the default chain of the AWS SDKs finds without configuration files: in environment
 * variables, with a web identity, at the container's endpoint, or in the instance's metadata. The first one whose
 * variables are set is used; if it fails, no other is tried.
 */
export async function findAwsCredentials(variables: Variables, sts: Sts): Promise<AwsCredentials> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, sessionToken: variables.AWS_SESSION_TOKEN || undefined };
  }
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: role } = variables;
  if (file && role)
    return assumeRole(sts, role, variables.AWS_ROLE_SESSION_NAME, readNamedFile(file, 'AWS_WEB_IDENTITY_TOKEN_FILE'));
  const container = containerAddress(variables);
  if (container !== undefined) return askContainer(container, variables);
  const read = instanceMetadata(variables);
  const folder = '/latest/meta-data/iam/security-credentials/';
  const [name = ''] = (await read(folder)).trim().split('\n');
  return credentialsIn(await read(folder + name), 'The instance metadata');
}

/** `AWS_REGION`, or the region of the instance where its metadata provides the credentials. */
export async function findAwsRegion(variables: Variables): Promise<string> {
  const region = variables.AWS_REGION || variables.AWS_DEFAULT_REGION;
  if (region) return checkRegion(region);
  const elsewhere = ['AWS_ACCESS_KEY_ID', 'AWS_WEB_IDENTITY_TOKEN_FILE'].some(name => variables[name]);
  if (elsewhere || containerAddress(variables) !== undefined) {
    throw noIdToken('The source aws needs a region, but none is set: set AWS_REGION.');
  }
  return checkRegion((await instanceMetadata(variables)('/latest/meta-data/placement/region')).trim());
}

/** A region becomes part of a host name, so anything else could name another host. */
function checkRegion(region: string): string {
  if (/^[a-z0-9-]{1,40}$/.test(region)) return region;
  throw noIdToken('The AWS region is not a region’s name, such as eu-west-1: set AWS_REGION.');
}

/** IAM roles for service accounts: the projected token is exchanged for the role's credentials. */
async function assumeRole(sts: Sts, role: string, session: string | undefined, token: string): Promise<AwsCredentials> {
  const element = await sts.call({
    Action: 'AssumeRoleWithWebIdentity',
    Version: stsVersion,
    RoleArn: role,
    RoleSessionName: session || `holdfast-${Date.now()}`,
    WebIdentityToken: token,
  });
  return {
    accessKeyId: element('AccessKeyId'),
    secretAccessKey: element('SecretAccessKey'),
    sessionToken: element('SessionToken'),
  };
}

function containerAddress(variables: Variables): string | undefined {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = variables;
  return relative ? taskHost + relative : full || undefined;
}

/** ECS and EKS Pod Identity. */
async function askContainer(address: string, variables: Variables): Promise<AwsCredentials> {
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file, AWS_CONTAINER_AUTHORIZATION_TOKEN: given } = variables;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !isTrustedContainerAddress(url)) {
    throw noIdToken(
      'The container’s credentials were not requested: set AWS_CONTAINER_CREDENTIALS_FULL_URI to an https address, or to http on this machine or at an address that AWS reserves for it.',
    );
  }
  // Read each time: EKS renews the file.
  const token = file ? readNamedFile(file, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE') : given;
  const failed = (reason: string, cause?: unknown) =>
    noIdToken(
      `The container’s endpoint ${url.origin} returned no AWS credentials (${reason}): check AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI and its authorization token.`,
      { cause },
    );
  if (token !== undefined && !/^[\x20-\x7e]*$/.test(token))
    throw failed('its token is not one line of ASCII characters');
  const headers = { accept: 'application/json', ...(token ? { authorization: token } : {}) };
  const answer = await askPlatform(url, headers).catch((error: Error) => {
    throw failed(error.message, error);
  });
  if (answer.status !== 200) throw failed(`it answered ${answer.status}`);
  return credentialsIn(answer.text, `The container’s endpoint ${url.origin}`);
}

/**
 * The hosts that the AWS SDKs allow. Over plain HTTP, any other host could read the container's token and credentials.
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
export function isTrustedContainerAddress({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true;
  if (protocol !== 'http:') return false;
  return /^(?:localhost|\[::1\]|127\.\d+\.\d+\.\d+|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])$/.test(hostname);
}

/** Instance metadata, version 2 only: version 1 has no token. @returns a function that reads a path */
function instanceMetadata(variables: Variables): (path: string) => Promise<string> {
  const { AWS_EC2_METADATA_DISABLED: disabled, AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint } = variables;
  if (disabled && disabled !== 'false') {
    throw noIdToken(`No AWS credentials were found, and AWS_EC2_METADATA_DISABLED is set: ${whatToSet}.`);
  }
  const mode = variables.AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE?.toLowerCase() === 'ipv6' ? 'ipv6' : 'ipv4';
  const base = endpoint || instanceEndpoints[mode];
  const failed = (reason: string, cause?: unknown) =>
    noIdToken(`No AWS credentials were found in variables or at ${base} (${reason}): ${whatToSet}.`, { cause });
  const ask = async (path: string, headers: Record<string, string>, method?: 'PUT'): Promise<string> => {
    if (!URL.canParse(path, base)) throw failed('AWS_EC2_METADATA_SERVICE_ENDPOINT is not an address');
    const answer = await askPlatform(new URL(path, base), headers, method).catch((error: Error) => {
      throw failed(error.message, error);
    });
    if (answer.status !== 200) throw failed(`it answered ${answer.status}`);
    return answer.text;
  };
  return async path => {
    const token = await ask('/latest/api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': '60' }, 'PUT');
    return ask(path, { 'x-aws-ec2-metadata-token': token });
  };
}

/** The JSON of the container's endpoint and of the instance metadata. */
function credentialsIn(text: string, source: string): AwsCredentials {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Its message would quote the text.
  }
  const { AccessKeyId, SecretAccessKey, Token } = isObject(value) ? value : {};
  if (typeof AccessKeyId === 'string' && typeof SecretAccessKey === 'string' && typeof Token === 'string') {
    return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token };
  }
  throw noIdToken(`${source} returned no AWS credentials: ${whatToSet}.`);
}
