import type { ServerResponse } from 'node:http';
import { type VerifiedRequest, verifySignature } from './aws-signature.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';

interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** One set of credentials for each way to get them. A slash and a plus sign test the encoding. */
export const awsCredentials = {
  variables: { accessKeyId: 'AKIAVARIABLES', secretAccessKey: 'variables/secret+1' },
  session: { accessKeyId: 'ASIASESSION', secretAccessKey: 'session/secret+2', sessionToken: 'session/token+==' },
  webIdentity: { accessKeyId: 'ASIAWEB', secretAccessKey: 'web/secret+3', sessionToken: 'web/token+==' },
  container: {
    accessKeyId: 'ASIACONTAINER',
    secretAccessKey: 'container/secret+4',
    sessionToken: 'container/token+==',
  },
  instance: { accessKeyId: 'ASIAINSTANCE', secretAccessKey: 'instance/secret+5', sessionToken: 'instance/token+==' },
} as const satisfies Record<string, Credentials>;

export const credentialVariables = ({ accessKeyId, secretAccessKey, sessionToken }: Credentials) => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  ...(sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: sessionToken }),
});

export interface SignedRequest extends VerifiedRequest {
  method: string;
  path: string;
  host: string | undefined;
  contentType: string | undefined;
  body: string;
}

export interface AwsPlatform extends Receiver {
  /** The calls of GetWebIdentityToken whose signature is right, in order. */
  signed: SignedRequest[];
  issue: (audience: string) => string | Promise<string>;
  /** Answers a request instead, if it returns true. */
  intercept: (response: ServerResponse, received: Received) => boolean;
}

const xml = (action: string, result: string) =>
  `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result>${result}</${action}Result></${action}Response>`;

const webToken = 'web.identity.token';
const containerToken = 'container-token';
const instanceToken = 'instance-metadata-token';
const rolesPath = '/latest/meta-data/iam/security-credentials/';

function jsonOf({ accessKeyId, secretAccessKey, sessionToken }: Required<Credentials>): string {
  const credentials = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken };
  return JSON.stringify({ Code: 'Success', ...credentials, Expiration: new Date(Date.now() + 3_600_000) });
}

/** STS, the endpoint of a container and an instance's metadata, version 2, as AWS documents them, on loopback. */
export async function startAwsPlatform() {
  const signed: SignedRequest[] = [];
  const refuse = (response: ServerResponse, status: number, code: string) =>
    response.writeHead(status).end(`<ErrorResponse><Error><Code>${code}</Code></Error></ErrorResponse>`);

  async function answerSts(response: ServerResponse, received: Received): Promise<unknown> {
    const form = new URLSearchParams(received.body.toString());
    if (form.get('Version') !== '2011-06-15') return refuse(response, 400, 'InvalidAction');
    if (form.get('Action') === 'AssumeRoleWithWebIdentity') {
      if (form.get('WebIdentityToken') !== webToken) return refuse(response, 400, 'InvalidIdentityToken');
      const { accessKeyId, secretAccessKey, sessionToken } = awsCredentials.webIdentity;
      const fields = `<AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>2100-01-01T00:00:00Z</Expiration>`;
      return response.end(xml('AssumeRoleWithWebIdentity', `<Credentials>${fields}</Credentials>`));
    }
    try {
      const all: Credentials[] = Object.values(awsCredentials);
      const verified = verifySignature(received, id => all.find(({ accessKeyId }) => accessKeyId === id));
      const { method, path, headers } = received;
      const { host, 'content-type': contentType } = headers;
      signed.push({ ...verified, method, path, host, contentType, body: received.body.toString() });
    } catch (error) {
      return refuse(response, 403, (error as Error).message.replace(/:.*/, ''));
    }
    const token = await platform.issue(form.get('Audience.member.1') ?? '');
    const fields = `<WebIdentityToken>${token}</WebIdentityToken><Expiration>2100-01-01T00:00:00Z</Expiration>`;
    return response.end(xml('GetWebIdentityToken', fields));
  }

  function answerInstance(response: ServerResponse, { method, path, headers }: Received): unknown {
    if (path === '/latest/api/token') {
      const isAsked = method === 'PUT' && Number(headers['x-aws-ec2-metadata-token-ttl-seconds']) > 0;
      return isAsked ? response.end(instanceToken) : response.writeHead(400).end();
    }
    if (headers['x-aws-ec2-metadata-token'] !== instanceToken) return response.writeHead(401).end();
    if (path === '/latest/meta-data/placement/region') return response.end('eu-north-1');
    if (path === rolesPath) return response.end('web-shop');
    return path === `${rolesPath}web-shop`
      ? response.end(jsonOf(awsCredentials.instance))
      : response.writeHead(404).end();
  }

  const receiver = await startReceiver((response, received) => {
    if (platform.intercept(response, received)) return undefined;
    if (received.path.startsWith('/latest/')) return answerInstance(response, received);
    if (received.path !== '/container') return answerSts(response, received);
    const isAllowed = received.headers.authorization === containerToken;
    return isAllowed ? response.end(jsonOf(awsCredentials.container)) : response.writeHead(401).end();
  });
  const platform: AwsPlatform = { ...receiver, signed, issue: () => 'aws.id.token', intercept: () => false };
  return platform;
}
