import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { fresh, shared, untilEnd } from '#test/support/fixtures.ts';
import { awsVariables, newSecret, openJsonSecret, startAws } from '#test/support/sync-targets/aws.ts';
import { openCloudflare } from '#test/support/sync-targets/cloudflare.ts';
import { startGitHub } from '#test/support/sync-targets/github.ts';
import { kubeconfigOf, startKubernetes } from '#test/support/sync-targets/kubernetes.ts';
import type { TargetWorld } from '#test/support/sync-targets/target-server.ts';
import { openVercel, startVercel } from '#test/support/sync-targets/vercel.ts';
import { worlds } from '#test/support/sync-targets/worlds.ts';
import { testCertificate } from '#test/support/test-certificate.ts';
import { json, pullAnswer, startServer } from '../../sdk/scripted-server.ts';
import { buildCli, type Ending, failure, variablesOf } from '../cli.ts';

/** The environment acme/web-shop/dev, as the service answers for it. */
const secrets = { revision: 1, values: {} as Record<string, string> };
const service = shared(() =>
  startServer((request, response) => {
    const keys = Object.keys(secrets.values).map(key => ({ key, version: 1 }));
    if (request.path.endsWith('/keys')) json(200, { keys, revision: secrets.revision })(request, response);
    else pullAnswer(secrets.revision, secrets.values)(request, response);
  }),
);
const cli = fresh(buildCli);

const holds = (revision: number, values: Record<string, string>) => Object.assign(secrets, { revision, values });

/** Runs `holdfast sync`, whose output never contains a value. */
async function sync(
  target: string,
  to: string,
  variables: Record<string, string>,
  ...words: string[]
): Promise<Ending> {
  const env = { ...variablesOf(service.url, 'service_tok_x'), ...variables };
  const ending = await cli.run(['sync', target, '--to', to, ...words], { env });
  for (const value of Object.values(secrets.values)) {
    if (value !== '') expect(ending.stdout + ending.stderr).not.toContain(value);
  }
  return ending;
}

describe.each(worlds)('a sync to $kind', ({ target, open }) => {
  const world = fresh(() => open(cli.file));
  const run = (...words: string[]) => sync(target, world.to, world.variables, ...words);
  const values = () => Object.fromEntries(world.values());

  it('shows its plan, writes it, and is in sync afterwards', async () => {
    holds(3, { DATABASE_URL: 'postgres://«new»/shop', TOKEN: 'geheim\nzwei' });
    expect((await run('--check')).code).toBe(7);
    const dry = await run('--dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, '+ DATABASE_URL = ••••••••\n+ TOKEN = ••••••••\n']);
    expect(values()).toEqual({});
    expect(await run()).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('has revision 3') });
    expect(values()).toEqual(secrets.values);
    expect((await run('--check')).code).toBe(0);
    holds(4, { DATABASE_URL: 'postgres://«newer»/shop' });
    expect(await run('--check')).toEqual(failure(7, '~ DATABASE_URL'));
    expect(JSON.parse((await run('--json')).stdout)).toMatchObject({
      revision: '4',
      updated: ['DATABASE_URL'],
      left: ['TOKEN'],
    });
    expect(values()).toEqual({ ...secrets.values, TOKEN: 'geheim\nzwei' });
    expect((await run('--check')).code).toBe(0);
    expect(await run('--prune')).toEqual(failure(2, /would remove TOKEN[\s\S]*requires --yes/));
    expect((await run('--prune', '--check')).code).toBe(7);
    expect((await run('--prune', '--yes')).code).toBe(0);
    expect(values()).toEqual(secrets.values);
  });

  it('refuses names that it does not own, and writes nothing, unless it adopts them', async () => {
    holds(1, { MINE: 'value-of-mine', THEIRS: 'value-of-theirs' });
    world.set('THEIRS', 'by-hand');
    const before = world.server.requests.length;
    const refused = await run();
    expect(refused).toEqual(failure(6, /THEIRS was not written by this sync[\s\S]*--adopt THEIRS/));
    expect(world.server.requests.slice(before).filter(isWrite)).toEqual([]);
    expect(values()).toEqual({ THEIRS: 'by-hand' });
    expect((await run('--adopt', 'OTHER')).code).toBe(2);
    expect((await run('--adopt', 'THEIRS')).code).toBe(0);
    expect(values()).toEqual(secrets.values);
    expect((await run()).code).toBe(0);
    expect((await run('--check')).code).toBe(0);
  });

  it('refuses a second environment for names of the first', async () => {
    holds(1, { A: 'value-of-a' });
    expect((await run()).code).toBe(0);
    const ending = await sync(target, world.to, { ...world.variables, HOLDFAST_ENV: 'staging' });
    expect(ending).toEqual(failure(6, /A (?:belongs to|was not written)|belongs to acme\/web-shop\/dev/));
    expect(values()).toEqual({ A: 'value-of-a' });
  });

  it('tries again after limits, errors and lost answers, and completes what it could not', async () => {
    holds(1, { A: 'value-of-a', B: 'value-of-b', C: 'value-of-c' });
    world.server.failAt({ 1: 'limit', 2: 'lose', 3: 'error', 5: 'lose', 7: 'refuse', 9: 'lose' });
    expect(await run()).toMatchObject({ code: 0 });
    expect(values()).toEqual(secrets.values);
    holds(2, { A: 'value-of-a-2', B: 'value-of-b-2', C: 'value-of-c-2' });
    const start = world.server.requests.length;
    const half = isOneWrite(world) ? 1 : 2;
    world.server.setFaults((_, index) => (index > start + half ? 'refuse' : undefined));
    const { code, stderr } = await run();
    expect([1, 8], stderr).toContain(code);
    world.server.setFaults();
    expect((await run()).code).toBe(0);
    expect(values()).toEqual(secrets.values);
    expect((await run('--check')).code).toBe(0);
  }, 120_000);

  it('says what is wrong with its credentials, and where to', async () => {
    holds(1, { A: 'value-of-a' });
    expect((await sync(target, '!', world.variables)).code).toBe(2);
    const wrong = Object.keys(world.variables).map(name => [name, /TOKEN/.test(name) ? 'wrong' : undefined] as const);
    for (const [name, value] of wrong.filter(([, token]) => token !== undefined)) {
      expect([3, 4]).toContain((await sync(target, world.to, { ...world.variables, [name]: value ?? '' })).code);
    }
  });
});

/** One reading and one write: a Secret, a secret of JSON, a Worker. */
const isOneWrite = ({ to }: TargetWorld): boolean => ['shop/web-shop', 'shop/prod', 'web-shop'].includes(to);

function isWrite({ method, headers }: { method: string; headers: Record<string, unknown> }): boolean {
  const target = headers['x-amz-target'];
  const action = typeof target === 'string' ? target.split('.')[1] : undefined;
  return action === undefined ? method !== 'GET' : !/^(?:Describe|List|Get)/.test(action);
}

describe('holdfast sync', () => {
  it('asks on a terminal, and changes nothing without a yes', async () => {
    holds(1, { A: 'value-of-a' });
    const gitHub = await untilEnd(startGitHub());
    const env = {
      ...variablesOf(service.url, 'service_tok_x'),
      GITHUB_API_URL: gitHub.server.url,
      GH_TOKEN: gitHub.token,
    };
    const words = ['sync', 'github', '--to', 'acme/web-shop'];
    const { secrets: written } = gitHub.scopeOf('/repos/acme/web-shop/actions');
    expect((await cli.converse(words, [['Apply?', 'n\r']], { env })).code).toBe(1);
    expect(written.size).toBe(0);
    expect((await cli.converse(words, [['Apply?', 'y\r']], { env })).code).toBe(0);
    expect(written.get('A')?.value).toBe('value-of-a');
  });

  it('refuses values that the target can’t hold, by name, and leaves keys out', async () => {
    holds(1, { 'a.b': 'value-of-dotted', OK: 'value-of-ok', LD_PRELOAD: 'value-of-preload' });
    const vercel = await untilEnd(openVercel());
    const run = (...words: string[]) => sync('vercel', vercel.to, vercel.variables, ...words);
    expect(await run()).toEqual(failure(9, /a\.b is not a name[\s\S]*LD_PRELOAD[\s\S]*--allow-name LD_PRELOAD/));
    expect(vercel.server.requests).toEqual([]);
    expect((await run('--only', 'OK,LD_PRELOAD', '--allow-name', 'LD_PRELOAD')).code).toBe(0);
    expect([...vercel.values().keys()].toSorted()).toEqual(['LD_PRELOAD', 'OK']);
    // What --only leaves out is not gone.
    expect((await run('--only', 'OK', '--prune', '--yes')).code).toBe(0);
    expect([...vercel.values().keys()].toSorted()).toEqual(['LD_PRELOAD', 'OK']);
  });

  it('never sends values over plain http to another machine', async () => {
    holds(1, { A: 'value-of-a' });
    const url = 'http://192.0.2.1';
    const gitHub = { GITHUB_API_URL: url, GH_TOKEN: 'x' };
    expect(await sync('github', 'acme/web-shop', gitHub)).toEqual(failure(2, 'must be https'));
    expect(await sync('aws-ssm', '/shop', awsVariables(url))).toEqual(failure(2, 'must be https'));
    expect(await sync('aws-secrets-manager', 'shop/', awsVariables(url))).toEqual(failure(2, 'must be https'));
  });

  it('never prints what a target says, which may repeat a value', async () => {
    holds(1, { A: 'value-of-a' });
    const vercel = await untilEnd(startVercel());
    const variables = { VERCEL_API_URL: vercel.server.url, VERCEL_TOKEN: vercel.token, VERCEL_ORG_ID: vercel.team };
    // Appears between the reading and the write.
    vercel.server.setFaults(({ method }) => {
      if (method === 'POST' && vercel.variables.length === 0) {
        vercel.variables.push({ id: 'env_x', key: 'A', value: 'by-hand', type: 'plain', target: ['production'] });
      }
      return undefined;
    });
    expect(await sync('vercel', 'web-shop:production', variables)).toEqual(failure(1, 'A was created meanwhile'));
    expect(vercel.variables.map(({ value }) => value)).toEqual(['by-hand']);
  });

  it('is told by its completion and its help which targets there are, and by --watch where it works', async () => {
    expect(await sync('heroku', 'x', {})).toEqual(failure(2, /Allowed choices are kubernetes, github, aws-ssm/));
    expect((await sync('github', 'acme/web-shop', {}, '--watch', '--yes')).code).toBe(2);
    expect(await sync('kubernetes', 'shop/web', {}, '--watch')).toEqual(failure(2, '--yes'));
    expect((await sync('kubernetes', 'shop/web', {}, '--restart', 'pod/web')).code).toBe(2);
  });
});

describe('a sync to GitHub', () => {
  it('keeps who may use an organization’s secret, and writes to environments', async () => {
    holds(1, { A: 'value-of-a', NEW: 'value-of-new' });
    const gitHub = await untilEnd(startGitHub());
    const variables = { GITHUB_API_URL: gitHub.server.url, GITHUB_TOKEN: gitHub.token };
    const { secrets: ofOrganization } = gitHub.scopeOf('/orgs/acme/actions');
    ofOrganization.set('A', { value: 'by-hand', visibility: 'selected', repositories: [7, 8] });
    expect((await sync('github', 'acme', variables, '--adopt', 'A')).code).toBe(0);
    expect(ofOrganization.get('A')).toEqual({ value: 'value-of-a', visibility: 'selected', repositories: [7, 8] });
    expect(ofOrganization.get('NEW')).toMatchObject({ value: 'value-of-new', visibility: 'private' });
    expect((await sync('github', 'acme/web-shop:eu west', variables)).code).toBe(0);
    expect(gitHub.scopeOf('/repos/acme/web-shop/environments/eu west').secrets.size).toBe(2);
  });

  it('reads more secrets than one page has, and refuses more than GitHub allows', async () => {
    holds(1, Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`KEY_${index}`, `value-of-key-${index}`])));
    const gitHub = await untilEnd(startGitHub());
    const variables = { GITHUB_API_URL: gitHub.server.url, GITHUB_TOKEN: gitHub.token };
    expect((await sync('github', 'acme', variables)).code).toBe(0);
    expect((await sync('github', 'acme', variables, '--check')).code).toBe(0);
    const refused = await sync('github', 'acme/web-shop', variables);
    expect(refused).toEqual(failure(9, 'is beyond the 100 secrets that GitHub allows there'));
    expect(gitHub.scopeOf('/repos/acme/web-shop/actions').secrets.size).toBe(0);
  }, 120_000);
});

describe('a sync to AWS', () => {
  it('leaves other members of a secret of JSON exactly as they are', async () => {
    holds(1, { A: 'value-of-a' });
    const world = await untilEnd(openJsonSecret());
    world.set('x', '1');
    const [secret] = world.secrets.values();
    const version = secret?.stages.get('AWSCURRENT') ?? '';
    const text = '{"id": 12345678901234567890, "list":[1.0, {"a":"}"}] , "s\\u00e9":"\\/"}';
    secret?.versions.set(version, text);
    expect((await sync('aws-secrets-manager', world.to, world.variables)).code).toBe(0);
    const current = secret?.versions.get(secret.stages.get('AWSCURRENT') ?? '') ?? '';
    expect(current).toMatch(/^\{"id":12345678901234567890,"list":\[1\.0, \{"a":"\}"\}\],"sé":"\\\/","A":"value-of-a",/);
    secret?.versions.set(secret.stages.get('AWSCURRENT') ?? '', '["no object"]');
    expect(await sync('aws-secrets-manager', world.to, world.variables)).toEqual(failure(1, 'is not a JSON object'));
  });

  it('writes the first version of a secret that was created without one', async () => {
    holds(1, { A: 'value-of-a' });
    const world = await untilEnd(openJsonSecret());
    world.secrets.set('shop/prod', { tags: new Map(), versions: new Map(), stages: new Map() });
    expect((await sync('aws-secrets-manager', world.to, world.variables)).code).toBe(0);
    expect(Object.fromEntries(world.values())).toEqual(secrets.values);
  });

  it('writes again where moving the label does not change what is returned', async () => {
    holds(1, { A: 'value-of-a' });
    const world = await untilEnd(openJsonSecret());
    const secret = newSecret('{"theirs":1}');
    // As moto does it.
    secret.shown = secret.stages.get('AWSCURRENT') ?? '';
    world.secrets.set('shop/prod', secret);
    expect((await sync('aws-secrets-manager', world.to, world.variables)).code).toBe(0);
    expect(JSON.parse(secret.versions.get(secret.shown) ?? '')).toMatchObject({ theirs: 1, A: 'value-of-a' });
    expect((await sync('aws-secrets-manager', world.to, world.variables, '--check')).code).toBe(0);
  });

  it('keeps the key and the type of a parameter that it adopts', async () => {
    holds(1, { A: 'value-of-a', B: 'value-of-b' });
    const aws = await untilEnd(startAws());
    const url = aws.server.url;
    const variables = {
      AWS_ENDPOINT_URL_SSM: url,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 'B',
    };
    const parameter = {
      value: 'x',
      type: 'SecureString',
      description: '',
      tags: new Map(),
      keyId: 'alias/shop',
      version: 1,
    };
    aws.parameters.set('/shop/A', parameter);
    aws.parameters.set('/shop/B', { ...parameter, type: 'String' });
    const adopting = ['--adopt', 'A,B'] as const;
    expect(await sync('aws-ssm', '/shop', variables, ...adopting)).toEqual(
      failure(6, 'B is a String, not a SecureString'),
    );
    aws.parameters.delete('/shop/B');
    expect((await sync('aws-ssm', '/shop', variables, '--adopt', 'A')).code).toBe(0);
    expect(aws.parameters.get('/shop/A')).toMatchObject({ value: 'value-of-a', keyId: 'alias/shop' });
  });

  it('restores a secret that it had removed', async () => {
    const aws = await untilEnd(startAws());
    const variables = {
      AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.server.url,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 'B',
    };
    const run = () => sync('aws-secrets-manager', 'shop/', variables, '--prune', '--yes');
    for (const [revision, values] of [{ A: 'value-of-a' }, {}, { A: 'value-of-a-3' }].entries()) {
      holds(revision + 1, values as Record<string, string>);
      expect((await run()).code).toBe(0);
      expect(aws.secrets.get('shop/A')?.deletedAt === undefined).toBe(revision !== 1);
    }
  });
});

describe('a sync to Cloudflare', () => {
  it('writes more secrets than one request takes, and lists more than one page has', async () => {
    holds(1, Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`KEY_${index}`, `value-of-key-${index}`])));
    const world = await untilEnd(openCloudflare({ pageSize: 50 }));
    expect((await sync('cloudflare', world.to, world.variables)).code).toBe(0);
    expect(world.values().size).toBe(60);
    const other = await sync('cloudflare', world.to, { ...world.variables, HOLDFAST_ENV: 'staging' });
    expect(other).toEqual(failure(6, 'KEY_59 belongs to another source'));
    expect((await sync('cloudflare', world.to, world.variables, '--check')).code).toBe(0);
  });
});

describe('a sync to Kubernetes', () => {
  const kubernetes = fresh(() => startKubernetes());
  const variables = () => ({ KUBECONFIG: cli.file('kubeconfig.json', kubeconfigOf(kubernetes)) });

  it('gives up keys that somebody else has changed', async () => {
    holds(1, { A: 'value-of-a' });
    expect((await sync('kubernetes', 'shop/web', variables())).code).toBe(0);
    kubernetes.edit('shop/web', 'A', 'by-hand');
    holds(2, { A: 'value-of-a-2' });
    expect(await sync('kubernetes', 'shop/web', variables())).toEqual(failure(6, 'A was not written by this sync'));
    expect(kubernetes.valuesOf('shop/web').get('A')).toBe('by-hand');
  });

  it('names the field that another field manager has', async () => {
    holds(1, { A: 'value-of-a' });
    expect((await sync('kubernetes', 'shop/web', variables())).code).toBe(0);
    kubernetes.annotate('shop/web', 'holdfast/revision', 'none');
    expect(await sync('kubernetes', 'shop/web', variables())).toEqual(failure(6, 'meanwhile (holdfast/revision)'));
  });

  it('reads again if the Secret changes while it writes', async () => {
    holds(1, { A: 'value-of-a' });
    let isChanged = false;
    kubernetes.server.setFaults(({ method, path }) => {
      if (method === 'PATCH' && path.endsWith('/web') && !isChanged) {
        isChanged = true;
        kubernetes.edit('shop/web', 'OTHER', 'by-hand');
      }
      return undefined;
    });
    expect((await sync('kubernetes', 'shop/web', variables())).code).toBe(0);
    expect(Object.fromEntries(kubernetes.valuesOf('shop/web'))).toEqual({ A: 'value-of-a', OTHER: 'by-hand' });
  });

  it('follows new revisions until a signal, restarts the workload, and survives failures of the cluster', async () => {
    holds(1, { A: 'value-of-a' });
    kubernetes.workloads.set('deployments/web', {});
    const words = [
      'sync',
      'kubernetes',
      '--to',
      'shop/web',
      '--watch',
      '--interval',
      '1',
      '--yes',
      '--restart',
      'deployment/web',
    ];
    const env = { ...variablesOf(service.url, 'service_tok_x'), ...variables() };
    const started = cli.start(words, { env });
    await started.until('has revision 1');
    kubernetes.edit('shop/web', 'B', 'by-hand');
    holds(2, { A: 'value-of-a-2', B: 'value-of-b-2' });
    await started.until('B was not written by this sync');
    kubernetes.edit('shop/web', 'B', null);
    await started.until('has revision 2');
    expect(Object.fromEntries(kubernetes.valuesOf('shop/web'))).toEqual(secrets.values);
    started.child.kill('SIGTERM');
    expect((await started.ended).code).toBe(0);
    expect(Object.values(kubernetes.workloads.get('deployments/web') ?? {})).toEqual(['2']);
    expect(started.seen()).not.toContain('value-of');
  });

  it('asks a program for the token, without giving it credentials of Holdfast', async () => {
    holds(1, { A: 'value-of-a' });
    const script = `#!/bin/sh\n[ -z "$HOLDFAST_TOKEN" ] && echo '{"status": {"token": "${kubernetes.token}"}}'\n`;
    const config = JSON.parse(kubeconfigOf(kubernetes));
    const apiVersion = 'client.authentication.k8s.io/v1';
    cli.file('plugin', script, 0o755);
    // As kubectl writes it: null for none, and relative to the kubeconfig.
    config.users[0].user = { exec: { apiVersion, command: './plugin', args: null, env: null } };
    const KUBECONFIG = cli.file('exec.json', JSON.stringify(config));
    expect((await sync('kubernetes', 'shop/web', { KUBECONFIG })).code).toBe(0);
    cli.file('plugin', '#!/bin/sh\nexit 1\n', 0o755);
    expect(await sync('kubernetes', 'shop/web', { KUBECONFIG })).toEqual(failure(1, 'printed no credentials'));
  });

  it('reads several kubeconfigs as one, and says which file it can’t read', async () => {
    holds(1, { A: 'value-of-a' });
    const { users, contexts, ...rest } = JSON.parse(kubeconfigOf(kubernetes));
    const paths = [
      cli.file('none.json', ''),
      cli.file('clusters.json', JSON.stringify({ ...rest, contexts: null })),
      cli.file('users.json', JSON.stringify({ 'current-context': 'other', contexts, users })),
    ];
    const run = (...all: string[]) => sync('kubernetes', 'shop/web', { KUBECONFIG: all.join(':') });
    expect(await run(...paths)).toEqual(failure(2, 'none.json is not a kubeconfig'));
    expect(await run('/missing.json')).toEqual(failure(2, 'There is no kubeconfig /missing.json'));
    expect(await run(...paths.slice(1, 2))).toEqual(failure(2, 'no complete current context'));
    expect((await run('/missing.json', ...paths.slice(1))).code).toBe(0);
    const user = { tokenFile: 'no-token' };
    const broken = cli.file('broken.json', JSON.stringify({ ...rest, contexts, users: [{ name: 'tester', user }] }));
    expect(await run(broken)).toEqual(failure(2, /no-token, which signs in to the cluster, can’t be read/));
    cli.file('no-token', `${kubernetes.token}\n`);
    expect((await run(broken)).code).toBe(0);
  });

  it('finds the cluster of its pod, and trusts only its authority', async ({ skip }) => {
    holds(1, { A: 'value-of-a' });
    const cluster = await untilEnd(startKubernetes({ tls: true }));
    const account = '/run/secrets/kubernetes.io/serviceaccount';
    // A namespace of its own, where the folder of a pod can be made.
    const inPod = (script: string) => [
      'unshare',
      '-m',
      'sh',
      '-ec',
      `mount -t tmpfs tmpfs /run; mkdir -p ${account}; ${script}`,
    ];
    try {
      const [program = '', ...words] = inPod('test "$(readlink -f /var/run)" = /run');
      execFileSync(program, words, { stdio: 'ignore' });
    } catch {
      skip('This user can’t make a mount namespace.');
    }
    const files = `printf %s "$TOKEN" >${account}/token; printf %s "$CA" >${account}/ca.crt; exec "$@"`;
    const env = {
      ...variablesOf(service.url, 'service_tok_x'),
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(cluster.server.port),
      TOKEN: cluster.token,
      CA: testCertificate,
    };
    const run = (more: object) =>
      cli.run(['sync', 'kubernetes', '--to', 'shop/web'], {
        env: { ...env, ...more },
        under: [...inPod(files), 'sh', process.execPath],
      });
    expect((await run({ CA: '' })).code).toBe(8);
    expect((await run({})).code).toBe(0);
    expect(cluster.valuesOf('shop/web').get('A')).toBe('value-of-a');
  });
});
