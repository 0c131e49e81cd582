import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetWebIdentityTokenCommand, STSClient } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isTrustedContainerAddress } from '#clients/sdk/src/aws-credentials.ts';
import { platformAssertion } from '#clients/sdk/src/index.ts';
import { stsIn } from '#clients/sdk/src/sts.ts';
import { awsCredentials, credentialVariables, startAwsPlatform } from '#test/support/aws-platform.ts';
import { fresh, untilEnd } from '#test/support/fixtures.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { failureOf, withVariables } from './variables.ts';

let folder: string;
const aws = fresh(startAwsPlatform);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-aws-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function file(text: string): string {
  const path = join(folder, crypto.randomUUID());
  writeFileSync(path, text);
  return path;
}

const source = (more: Record<string, string> = {}): Record<string, string> => ({
  HOLDFAST_ID_TOKEN_SOURCE: 'aws',
  AWS_REGION: 'eu-west-1',
  AWS_ENDPOINT_URL_STS: aws.url,
  // The AWS SDK reads them; they don't exist.
  AWS_CONFIG_FILE: join(folder, 'config'),
  AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
  AWS_EC2_METADATA_DISABLED: 'true',
  ...more,
});
const get = (variables: Record<string, string>) => platformAssertion('i-1', variables).get();

type Variables = () => Record<string, string>;

const withKeys: Variables = () => credentialVariables(awsCredentials.variables);
const withSession: Variables = () => credentialVariables(awsCredentials.session);
const ofRole = (token: string) => ({
  AWS_ROLE_ARN: 'arn:aws:iam::1:role/web-shop',
  AWS_WEB_IDENTITY_TOKEN_FILE: token,
});
const inContainer = (token: Record<string, string>) => ({
  AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.url}/container`,
  ...token,
});
const withFile: Variables = () => inContainer({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file('container-token') });
const withToken = (token: string) => inContainer({ AWS_CONTAINER_AUTHORIZATION_TOKEN: token });
const onInstance = (url: string) => ({
  AWS_EC2_METADATA_DISABLED: 'false',
  AWS_EC2_METADATA_SERVICE_ENDPOINT: url,
});
const kinds: [string, keyof typeof awsCredentials, Variables][] = [
  ['environment variables', 'variables', withKeys],
  ['environment variables with a session token', 'session', withSession],
  ['a web identity (IRSA)', 'webIdentity', () => ofRole(file('web.identity.token'))],
  ['a container’s endpoint with a token file (EKS Pod Identity)', 'container', withFile],
  ['a container’s endpoint with a token', 'container', () => withToken('container-token')],
  ['instance metadata, version 2', 'instance', () => onInstance(aws.url)],
];

describe('a token from AWS', () => {
  it.each(kinds)('is requested with credentials from %s as the AWS SDK requests it', async (_, kind, more) => {
    const variables = source(more());
    const token = await get(variables);
    await withVariables(variables, async () => {
      const client = new STSClient({});
      const Audience = ['holdfast:identity:i-1'];
      const command = new GetWebIdentityTokenCommand({ Audience, SigningAlgorithm: 'ES384', DurationSeconds: 300 });
      expect((await client.send(command)).WebIdentityToken).toBe(token);
      client.destroy();
    });

    expect(token).toBe('aws.id.token');
    const [ours, theirs] = aws.signed.map(({ signedHeaders: _, ...request }) => request);
    expect(ours).toEqual(theirs);
    expect(ours).toMatchObject({
      accessKeyId: awsCredentials[kind].accessKeyId,
      region: 'eu-west-1',
      service: 'sts',
      body: 'Action=GetWebIdentityToken&Version=2011-06-15&Audience.member.1=holdfast%3Aidentity%3Ai-1&SigningAlgorithm=ES384&DurationSeconds=300',
    });
  });

  it('is not accepted with another secret: the stand-in checks signatures', async () => {
    const variables = source({ AWS_ACCESS_KEY_ID: 'AKIAVARIABLES', AWS_SECRET_ACCESS_KEY: 'another' });
    expect((await failureOf(get(variables))).message).toBe(
      `AWS STS at ${aws.url}/ refused GetWebIdentityToken (403 SignatureDoesNotMatch): check the AWS credentials and AWS_REGION.`,
    );
    expect(aws.signed).toEqual([]);
  });

  it('takes variables before a web identity, that before a container, and that before the instance', async () => {
    const [variables, , web, container, , instance] = kinds.map(([, kind, more]) => ({ kind, more: more() }));
    let all = {};
    for (const one of [instance, container, web, variables]) {
      all = { ...all, ...one?.more };
      await get(source(all));
      expect(aws.signed.at(-1)?.accessKeyId).toBe(awsCredentials[one?.kind ?? 'session'].accessKeyId);
    }
  });

  it('uses the instance’s region if none is set', async () => {
    const { AWS_REGION: _, ...variables } = source(kinds.at(-1)?.[2]());
    await get(variables);
    expect(aws.signed[0]?.region).toBe('eu-north-1');
  });

  it('reads token files again each time', async () => {
    const path = file('outdated');
    const variables = source(inContainer({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path }));
    const { get: again } = platformAssertion('i-1', variables);
    await failureOf(again());
    writeFileSync(path, 'container-token\n');
    expect(await again()).toBe('aws.id.token');
  });
});

describe('the endpoint of STS', () => {
  const regions = ['eu-west-1', 'us-east-1', 'us-gov-west-1', 'cn-north-1', 'eusc-de-east-1', 'us-iso-east-1'];
  it.each([...regions, 'us-isob-east-1', 'eu-isoe-west-1', 'us-isof-south-1'])(
    'in %s is the AWS SDK’s',
    async region => {
      const { endpointProvider } = new STSClient({ region }).config;
      const { url } = endpointProvider({ Region: region, UseGlobalEndpoint: false });
      expect(stsIn(region, undefined, fetch).url).toBe(url.href);
    },
  );
});

describe('a container’s token', () => {
  const allowed = `https://credentials.example http://localhost http://127.0.0.1:81 http://127.9.8.7 http://[::1]:80
    http://169.254.170.2 http://169.254.170.23 http://[fd00:ec2::23]`.split(/\s+/);
  const refused = `http://credentials.example http://10.0.0.1 http://169.254.169.254 http://169.254.170.24
    http://127.0.0.1.evil.example http://localhost.evil.example http://169.254.170.23.evil.example
    http://[fd00:ec2::24] http://127.evil http://user@evil.example ftp://127.0.0.1`.split(/\s+/);

  it('is only sent over TLS, to this machine and to the addresses that AWS reserves', () => {
    expect(allowed.filter(url => !isTrustedContainerAddress(new URL(url)))).toEqual([]);
    expect(refused.filter(url => isTrustedContainerAddress(new URL(url)))).toEqual([]);
  });

  it('never reaches another host over plain HTTP, even by redirect', async () => {
    const elsewhere = await untilEnd(startReceiver(response => response.end('{}')));
    const at = (url: string) => source({ ...withToken('container-token'), AWS_CONTAINER_CREDENTIALS_FULL_URI: url });
    for (const url of refused) {
      const { message } = await failureOf(get(at(url)));
      expect(message).toContain('set AWS_CONTAINER_CREDENTIALS_FULL_URI to an https address');
    }
    aws.intercept = response => {
      response.writeHead(302, { location: elsewhere.url }).end();
      return true;
    };
    expect((await failureOf(get(at(aws.url)))).message).toContain('(it answered 302)');
    expect(elsewhere.connections()).toBe(0);
  });
});

describe('without a token from AWS', () => {
  const sts = (status: number, code: string) => (): Record<string, string> => {
    aws.intercept = response => {
      const message = 'The canonical string is: x-amz-security-token:session/token+==';
      response.writeHead(status).end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
      return true;
    };
    return withSession();
  };
  const cases: [string, Variables, string][] = [
    [
      'nothing provides credentials',
      () => ({}),
      'No AWS credentials were found, and AWS_EC2_METADATA_DISABLED is set: set AWS_ACCESS_KEY_ID',
    ],
    [
      'there is no instance metadata',
      () => onInstance('http://127.0.0.1:9'),
      'No AWS credentials were found in variables or at http://127.0.0.1:9 (ECONNREFUSED): set AWS_ACCESS_KEY_ID',
    ],
    ['no region is set', () => ({ ...withKeys(), AWS_REGION: '' }), 'needs a region, but none is set: set AWS_REGION.'],
    [
      'the region would change the host',
      () => ({ ...withKeys(), AWS_REGION: 'evil.example/' }),
      'is not a region’s name, such as eu-west-1: set AWS_REGION.',
    ],
    [
      'the web identity’s file is missing',
      () => ofRole('/nowhere/token'),
      'AWS_WEB_IDENTITY_TOKEN_FILE names /nowhere/token, which could not be read (ENOENT): set it to a readable file.',
    ],
    [
      'the role can’t be assumed',
      () => ofRole(file('forged')),
      'refused AssumeRoleWithWebIdentity (400 InvalidIdentityToken): check the AWS credentials',
    ],
    [
      'the container’s endpoint refuses the token',
      () => withToken('wrong'),
      'returned no AWS credentials (it answered 401): check AWS_CONTAINER_CREDENTIALS_FULL_URI',
    ],
    [
      'the role lacks the permission',
      sts(403, 'AccessDenied'),
      'refused GetWebIdentityToken (403 AccessDenied): allow the role sts:GetWebIdentityToken.',
    ],
    [
      'the account has not enabled it',
      sts(403, 'OutboundWebIdentityFederationDisabledException'),
      '(403 OutboundWebIdentityFederationDisabled): enable outbound identity federation in the account',
    ],
    ['STS is throttled', sts(400, 'Throttling'), 'refused GetWebIdentityToken (400 Throttling): check'],
    [
      'STS can’t be reached',
      () => ({ ...withKeys(), AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:2' }),
      'did not answer GetWebIdentityToken (ECONNREFUSED): check AWS_REGION and AWS_ENDPOINT_URL_STS.',
    ],
  ];

  it.each(cases)('because %s, the error says so in one sentence, without a secret', async (_, more, sentence) => {
    const error = await failureOf(get(source(more())));
    expect(error).toMatchObject({ name: 'HoldfastError', code: 'platform_token_unavailable' });
    expect(error.message).toContain(sentence);
    expect(error.message).toMatch(/^[^\n]+\.$/);
    expect(error.message).not.toMatch(/secret|session\/token|forged|wrong/);
  });
});
