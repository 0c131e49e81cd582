import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetWebIdentityTokenCommand, STSClient } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { platformAssertion } from '#clients/sdk/src/index.ts';
import { stsIn } from '#clients/sdk/src/sts.ts';
import { awsCredentials, credentialVariables, startAwsPlatform } from '#test/support/aws-platform.ts';
import { fresh } from '#test/support/fixtures.ts';
import { withVariables } from './variables.ts';

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

/* The errors are in the cases that both SDKs pass. */
describe('a token from AWS', () => {
  it.each(kinds)('is requested with credentials from %s as the AWS SDK requests it', async (_, kind, more) => {
    const variables = source(more());
    const token = await platformAssertion('i-1', variables).get();
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
