import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildDownloads } from '#clients/cli/build-downloads.ts';
import { buildDashboard } from '#clients/dashboard/build.ts';
import { readConfig } from '#infra/plan/config.ts';
import { type DeployedSettings, deployedSettings, requireDeployable } from '#infra/plan/deployed.ts';
import { deployedName, functions } from '#infra/plan/functions.ts';
import { senderOf } from '#infra/plan/sender.ts';
import { describedStack, listedResources, refusedCall } from '#test/support/cloud-formation.ts';
import { scratchDirectory, shared } from '#test/support/fixtures.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { runCommand } from '#test/support/run-command.ts';

const root = join(import.meta.dirname, '../../..');
const installation = `deploy-test-${process.pid}`;
const file = join(root, 'installations', `${installation}.json`);
const filesBucket = 'holdfast-edge-files-1x2y3z';
const settings = { mailFrom: 'no-reply@holdfast.test', alarmEmail: 'operators@holdfast.test' };

/** CloudFormation's responses, by stack: outputs, or undefined for a stack that doesn't exist. */
let stacks: Record<string, Record<string, string> | undefined>;
let refusal: string | undefined;
/** The states of stacks, and the resources that CloudFormation lists, if they differ from those of a healthy stack. */
let states: Record<string, Record<string, string>>;
let resources: Record<string, Record<string, string>[]>;
/** Calls that the pipeline's role may not make: an action and the start of a stack's name. */
let deniedCalls: RegExp | undefined;
/** What SES knows of identities. */
let identities: Record<string, { VerifiedForSendingStatus: boolean }>;
/** The versions of every function, undefined if nobody may list them; the alias points to the last but one. */
let functionVersions: string[] | undefined;
let deletedVersions: string[];
let directory: string;

/** What was uploaded to the dashboard's bucket, in this order, and the suffixes of the names that it rejects. */
let uploaded: { path: string; mediaType: string | undefined; sizeBytes: number }[];
let refusedFile: string | undefined;

/** The regions in which the check's account was looked up. */
let parameterRegions: (string | undefined)[];

const cloudFormation = shared(() =>
  startReceiver((response, { headers, method, path, body: form }) => {
    // Nothing is stored there: the check fails after it asked.
    if (headers['x-amz-target'] === 'AmazonSSM.GetParameter') {
      parameterRegions.push(headers.authorization?.split('/')[2]);
      return response.writeHead(400).end('{"__type":"ParameterNotFound"}');
    }
    if (path.startsWith('/v2/email/identities/')) {
      const identity = identities[decodeURIComponent(path.split('/').at(-1) ?? '')];
      if (identity !== undefined) return response.end(JSON.stringify(identity));
      return response.writeHead(404, { 'x-amzn-errortype': 'NotFoundException' }).end('{"message":"none"}');
    }
    if (path.startsWith('/2015-03-31/functions/')) return answerLambda(response, path, method);
    const parameters = new URLSearchParams(form.toString());
    const [action, name] = [parameters.get('Action'), parameters.get('StackName') ?? ''];
    const isDenied = refusal !== undefined || deniedCalls?.test(`${action} ${name}`) === true;
    const [status, body] = isDenied
      ? [403, refusedCall('AccessDenied', refusal ?? 'not authorized')]
      : action === 'ListStackResources'
        ? listedResources(resources[name] ?? [])
        : describedStack(name, stacks[name], states[name]);
    return response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
  }),
);
const bucket = shared(() =>
  startReceiver((response, { method, path: url, headers, body }) => {
    const path = new URL(url, 'http://s3').pathname;
    if (method !== 'PUT' || (refusedFile !== undefined && path.endsWith(refusedFile))) {
      response.writeHead(403, { 'content-type': 'application/xml' });
      return response.end('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>');
    }
    uploaded.push({ path, mediaType: headers['content-type'], sizeBytes: body.byteLength });
    return response.writeHead(200, { etag: '"1"' }).end();
  }),
);

/** Each function has the same versions. */
function answerLambda(response: ServerResponse, url: string, method: string): unknown {
  const { pathname, searchParams } = new URL(url, 'http://lambda');
  const [, , , name = '', kind] = pathname.split('/');
  if (functionVersions === undefined) return response.writeHead(403).end('{"message":"not authorized"}');
  if (method === 'DELETE') {
    deletedVersions.push(`${name}:${searchParams.get('Qualifier')}`);
    return response.writeHead(204).end();
  }
  const live = functionVersions.at(-2) ?? '';
  const Versions = ['$LATEST', ...functionVersions].map(Version => ({ Version }));
  return response.end(JSON.stringify(kind === 'aliases' ? { Name: 'live', FunctionVersion: live } : { Versions }));
}

beforeEach(() => {
  functionVersions = undefined;
  deletedVersions = [];
  refusal = undefined;
  states = {};
  resources = {};
  deniedCalls = undefined;
  identities = {};
  refusedFile = undefined;
  uploaded = [];
  parameterRegions = [];
  stacks = deployedWith(settings);
  directory = scratchDirectory(onTestFinished);
  // What would be deployed with an account.
  writeCdk('exit 0');
});
afterEach(() => rmSync(file, { force: true }));

/** The CDK's stand-in records its arguments and exits like this. */
function writeCdk(end: string): void {
  const script = `#!/bin/sh\necho "$@" > '${join(directory, 'asked')}'\n${end}\n`;
  writeFileSync(join(directory, 'cdk'), script, { mode: 0o755 });
}

function deployedWith(given: Record<string, unknown>, sent?: number): typeof stacks {
  const deployed: DeployedSettings = deployedSettings(readConfig(given));
  return {
    'holdfast-foundation': { Sender: JSON.stringify(senderOf(readConfig(given))) },
    'holdfast-api': { Deployed: JSON.stringify(deployed) },
    'holdfast-edge': {
      EdgeSecretVersion: String(sent ?? deployed.edgeSecretVersion),
      FilesBucket: filesBucket,
      Url: 'https://d111111abcdef8.cloudfront.net/v1',
    },
  };
}

/** Runs `npm run deploy` with these settings. `asked` is what it passed to the CDK, undefined if it deployed nothing. */
async function deploy(given: Record<string, unknown>, ...options: string[]) {
  const { code, stderr } = await run('deploy', given, options);
  const asked = join(directory, 'asked');
  return { code, said: stderr, asked: existsSync(asked) ? readFileSync(asked, 'utf8') : undefined };
}

/** What is said of a deployment that is refused before anything is passed to the CDK. */
async function refusalOf(given: Record<string, unknown>, ...options: string[]): Promise<string> {
  const { code, said, asked } = await deploy(given, ...options);
  expect([code, asked]).toEqual([1, undefined]);
  return said;
}

/** Runs a command for an installation with these settings, in a shell with this region. */
function run(
  command: 'deploy' | 'smoke',
  given: Record<string, unknown>,
  options: readonly string[] = [],
  region = 'eu-central-1',
) {
  writeFileSync(file, JSON.stringify(given));
  return runCommand(command, [installation, ...options], {
    ...process.env,
    PATH: `${directory}${delimiter}${process.env.PATH}`,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
    AWS_ENDPOINT_URL_S3: bucket.url,
    AWS_ENDPOINT_URL_SSM: cloudFormation.url,
    AWS_ENDPOINT_URL_SESV2: cloudFormation.url,
    AWS_ENDPOINT_URL_LAMBDA: cloudFormation.url,
    AWS_MAX_ATTEMPTS: '1',
  });
}

describe('a deployment', () => {
  test('is gradual, and explains the consequence of a missing alarmEmail', async () => {
    const { alarmEmail: _, ...silent } = settings;
    const { code, said, asked } = await deploy(silent);

    expect(code).toBe(0);
    expect(asked).toContain(`--context installation=${installation} --context rollout=gradual`);
    expect(said).toContain('Neither alarmEmail nor alarmTopicArn is set');
    expect((await deploy(settings)).said).not.toContain('alarmEmail');
  });

  test('is not compared with anything if it is the first', async () => {
    const { 'holdfast-edge': edge } = stacks;
    stacks = { 'holdfast-edge': edge };
    const deployed = { code: 0, asked: expect.stringContaining('rollout=gradual') };
    expect(await deploy({ ...settings, edgeSecretVersion: 7 })).toMatchObject(deployed);
  });

  test('uploads the dashboard and the downloads with their media types, each after everything that it references', async () => {
    expect((await deploy(settings)).code).toBe(0);

    const downloads = (await buildDownloads())('https://d111111abcdef8.cloudfront.net');
    const sizes = uploaded.map(({ path, sizeBytes }) => [path.replace(`/${filesBucket}`, ''), sizeBytes]);
    const built = [...(await buildDashboard()), ...downloads].map(([path, content]) => [path, content.length] as const);
    const expected = built.map(([path, sizeBytes]) => [path === '/' ? '/index.html' : path, sizeBytes]);
    expect(Object.fromEntries(sizes)).toEqual(Object.fromEntries(expected));
    const page = { path: `/${filesBucket}/index.html`, mediaType: 'text/html; charset=utf-8' };
    expect(uploaded.at(-1)).toMatchObject(page);
    expect(uploaded.map(({ mediaType }) => mediaType)).not.toContain('application/octet-stream');
    const scripts = uploaded.slice(-3, -1).map(({ path, mediaType }) => [path, mediaType]);
    const names = ['install.sh', 'run.sh'].map(name => [`/${filesBucket}/${name}`, 'text/plain; charset=utf-8']);
    expect(scripts.toSorted()).toEqual(names);
    expect(downloads.get('/install.sh')?.toString()).toContain("origin='https://d111111abcdef8.cloudfront.net'\n");
  });

  test('keeps the previous page if a file can’t be uploaded, and reports it', async () => {
    refusedFile = '.css';
    const { code, said } = await deploy(settings);
    expect(code).toBe(1);
    expect(said).toContain(`the dashboard could not be uploaded to ${filesBucket}: Access Denied`);
    expect(uploaded.map(({ path }) => path)).not.toContain(`/${filesBucket}/index.html`);
  });

  test.each([['--no-execute'], ['--method', 'prepare-change-set'], ['--method=prepare-change-set']])(
    'that is only prepared uploads and checks nothing: %s %s',
    async (...options) => {
      const { code, said, asked } = await deploy({ ...settings, checkParameter: '/holdfast/check' }, ...options);
      expect(code).toBe(0);
      expect(asked).toContain(options.join(' '));
      expect(said).toContain('prepared and not executed, so nothing was uploaded or checked');
      expect([uploaded, parameterRegions]).toEqual([[], []]);
    },
  );

  test('deletes the versions of functions that are too old to go back to, and only reports if it may not', async () => {
    functionVersions = ['3', '7', '8', '9', '10'];
    const { code, said } = await deploy(settings);
    expect([code, said]).toEqual([0, expect.not.stringContaining('Old versions')]);
    expect(deletedVersions.toSorted()).toEqual(
      functions.map(plan => `${deployedName({ name: 'holdfast' }, plan)}:3`).toSorted(),
    );

    functionVersions = undefined;
    const denied = await deploy(settings);
    expect([denied.code, denied.said]).toEqual([
      0,
      expect.stringContaining('Old versions of the functions could not be deleted'),
    ]);
  });

  test('is checked in the installation’s region, whatever the shell’s is', async () => {
    await deploy({ ...settings, region: 'ap-south-1', checkParameter: '/holdfast/check' });
    expect(parameterRegions).toEqual(['ap-south-1']);
  });

  test('that CloudFormation rolls back uploads nothing', async () => {
    writeCdk('exit 1');
    expect((await deploy(settings)).code).toBe(1);
    expect(uploaded).toEqual([]);
  });

  test('moves everything at once with --emergency, even while failures would stop a gradual one', async () => {
    const { asked, said } = await deploy(settings, '--emergency');
    expect(asked).toContain('rollout=emergency');
    expect(asked).not.toContain('--emergency');
    expect(said).toContain('The next deployment is watched again.');
  });

  test('is refused with credentials for a partition without CloudFront', async () => {
    const { code, stderr } = await run('deploy', settings, [], 'us-gov-west-1');
    expect([code, existsSync(join(directory, 'asked'))]).toEqual([1, false]);
    expect(stderr).toMatch(/^The region us-gov-west-1 is in GovCloud, in China or [^.]*\.\n$/);
  });

  test('never exchanges the key, which would make every secret unreadable', async () => {
    const keyArn = 'arn:aws:kms:us-east-1:123456789012:key/0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03';
    stacks = deployedWith(settings);
    expect(await refusalOf({ ...settings, keyArn })).toContain('encrypted under the key that it created');
    stacks = deployedWith({ ...settings, keyArn });
    expect(await refusalOf(settings)).toContain(`encrypted under ${keyArn}`);
    const unchanged = readConfig({ ...settings, keyArn });
    const deployed = { ...deployedSettings(unchanged), sentSecretVersion: 1 };
    expect(() => requireDeployable(unchanged, deployed)).not.toThrow();
  });

  test('rejects settings on the command line', async () => {
    const said = await refusalOf(settings, '-c', 'maintenance=true');
    expect(said).toContain(`Settings come only from installations/${installation}.json`);
  });

  test('over one from before the first release says so in a sentence', async () => {
    stacks = { ...stacks, 'holdfast-api': {} };
    expect(await refusalOf(settings)).toMatch(
      /^The stack holdfast-api has no output Deployed: a version from before the first release [^.]*\.\n$/,
    );
  });

  test('deploys nothing if it can’t read what is deployed', async () => {
    refusal = 'not authorized';
    expect(await refusalOf(settings)).toContain('could not be read, so nothing was deployed: not authorized');
  });
});

describe('the check from outside, run by hand', () => {
  test('reads its account in the installation’s region, whatever the shell’s is', async () => {
    const elsewhere = { region: 'ap-south-1', checkParameter: '/holdfast/check' };
    const { code, stderr } = await run('smoke', { ...settings, ...elsewhere });
    expect(code).toBe(1);
    expect(stderr).toContain('The parameter /holdfast/check does not contain the account');
    expect(parameterRegions).toEqual(['ap-south-1']);
  });

  test('says that the installation has no account to check with', async () => {
    const { code, stderr } = await run('smoke', settings);
    expect(code).toBe(1);
    expect(stderr).toBe(`The setting checkParameter in installations/${installation}.json is missing.\n`);
    expect(parameterRegions).toEqual([]);
  });
});

describe('maintenance', () => {
  const underMaintenance = { ...settings, maintenance: true };
  const restored = { ...underMaintenance, restoredTable: 'holdfast-restored' };

  test('starts and ends at once, without an alarm that could roll it back or a check that sets a secret', async () => {
    const { code, said, asked } = await deploy({ ...underMaintenance, checkParameter: '/holdfast/check' });
    expect(code).toBe(0);
    expect(asked).toContain('rollout=at-once');
    expect(said).toContain('not checked from outside, because under maintenance no secret can be set');

    stacks = deployedWith(underMaintenance);
    expect((await deploy(settings)).asked).toContain('rollout=at-once');
  });

  test('is required to replace the table, before and during the replacement', async () => {
    expect((await deploy(restored)).said).toContain('The table can be replaced only under maintenance');

    stacks = deployedWith(underMaintenance);
    expect((await deploy({ ...settings, restoredTable: 'holdfast-restored' })).asked).toBeUndefined();
    expect((await deploy(restored)).asked).toContain('rollout=at-once');

    stacks = deployedWith(restored);
    expect((await deploy({ ...settings, restoredTable: 'holdfast-restored' })).asked).toContain('rollout=at-once');
    expect((await deploy({ ...settings })).said).toContain('The table can be replaced only under maintenance');
  });
});

describe('the edge’s secret', () => {
  const withSecret = (edgeSecretVersion: number) => ({ ...settings, edgeSecretVersion });

  test.each([
    ['one more', 2, 2, 3, true],
    ['the same', 2, 2, 2, true],
    ['the same, after a deployment that stopped before the edge', 3, 2, 3, true],
    ['one less', 2, 2, 1, false],
    ['two more', 2, 2, 4, false],
    ['one more, after a deployment that stopped before the edge', 3, 2, 4, false],
    ['back, after a deployment that stopped before the edge', 3, 2, 2, false],
  ])('%s', async (_, current, sent, next, isDeployed) => {
    stacks = deployedWith(withSecret(current), sent);
    if (!isDeployed) return expect(await refusalOf(withSecret(next))).toContain(`Set it to ${current}`);
    const { code, asked } = await deploy(withSecret(next));
    expect([code, asked !== undefined]).toEqual([0, true]);
  });
});

describe('a stack that CloudFormation can’t update', () => {
  const nested = { LogicalResourceId: 'Secrets', ResourceType: 'AWS::CloudFormation::Stack' };
  const secrets = 'holdfast-api-Secrets-1A2B';

  test('is named with the nested stack and the resource that failed', async () => {
    states = {
      'holdfast-api': { StackStatus: 'UPDATE_ROLLBACK_FAILED' },
      [secrets]: { StackStatus: 'UPDATE_ROLLBACK_FAILED' },
    };
    stacks = { ...stacks, [secrets]: {} };
    const failed = (LogicalResourceId: string, ResourceStatusReason: string) => ({
      LogicalResourceId,
      ResourceType: 'AWS::Lambda::Alias',
      ResourceStatus: 'UPDATE_FAILED',
      ResourceStatusReason,
    });
    resources = {
      'holdfast-api': [{ ...nested, PhysicalResourceId: secrets, ResourceStatus: 'UPDATE_FAILED' }],
      [secrets]: [
        failed('PullSecretsLive', 'The role was deleted'),
        failed('SetSecretLive', 'Resource update cancelled'),
      ],
    };
    const said = await refusalOf(settings);
    expect(said).toContain(`${secrets}.PullSecretsLive: The role was deleted`);
    expect(said).not.toContain('SetSecretLive');
    expect(said).toContain('It is a part of holdfast-api and leaves this state with it.');
    expect(said.match(/aws cloudformation continue-update-rollback --stack-name (\S+)/g)).toHaveLength(1);
  });

  test('is named if only a nested stack is stuck', async () => {
    states = { [secrets]: { StackStatus: 'UPDATE_ROLLBACK_FAILED' } };
    stacks = { ...stacks, [secrets]: {} };
    resources = { 'holdfast-api': [{ ...nested, PhysicalResourceId: secrets, ResourceStatus: 'UPDATE_COMPLETE' }] };
    expect(await refusalOf(settings)).toContain(`continue-update-rollback --stack-name ${secrets}`);
  });

  test('is looked for with the rights that the pipeline has, and the missing ones are named', async () => {
    deniedCalls = /ListStackResources|holdfast-foundation/;
    const { code, said } = await deploy(settings);
    expect(code).toBe(0);
    expect(said).toContain('The state of holdfast-foundation or its nested stacks could not be read');
    expect(said).toContain('cloudformation:ListStackResources');
  });
});

describe('another sender', () => {
  const mailFrom = 'no-reply@other.test';
  const other = { ...settings, mailFrom };

  test('that SES has not verified stops the deployment, which says that no mail would be sent', async () => {
    identities = { 'other.test': { VerifiedForSendingStatus: false } };
    const said = await refusalOf({ ...other, mailIdentity: 'existing' });
    expect(said).toContain('no mail would be sent');
    expect(said).toContain('aws sesv2 create-email-identity --email-identity other.test');
    expect(said).toContain(`npm run deploy -- ${installation} --without-mail`);
  });

  test('is used if the operator accepts that no mail is sent', async () => {
    const { code, asked } = await deploy(other, '--without-mail');
    expect([code, asked?.includes('--without-mail')]).toEqual([0, false]);
  });

  test('is no other one after a deployment that stopped after the foundation', async () => {
    stacks = { ...stacks, 'holdfast-foundation': { Sender: JSON.stringify(senderOf(readConfig(other))) } };
    identities = { 'other.test': { VerifiedForSendingStatus: false } };
    expect((await deploy(other)).code).toBe(0);
  });

  test('is not compared with a version that did not record it', async () => {
    stacks = { ...stacks, 'holdfast-foundation': {} };
    expect((await deploy(other)).code).toBe(0);
  });
});
