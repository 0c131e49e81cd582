import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { scratchDirectory } from '../support/fixtures.ts';
import { fullSettings, synthesize } from '../support/installation.ts';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, '.github/workflows/deliver.yml'), 'utf8');
const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts as Record<string, string>;

interface Job {
  needs?: string | string[];
  concurrency?: string | { group: string; 'cancel-in-progress': boolean };
  if?: string;
  environment?: string;
  permissions?: Record<string, string>;
  'timeout-minutes': number;
  steps: {
    if?: string;
    uses?: string;
    run?: string;
    with?: Record<string, unknown>;
    env?: Record<string, string>;
  }[];
}
const { on, jobs, permissions, concurrency } = parse(text) as {
  on: { workflow_dispatch: { inputs: Record<string, { type: string; options?: string[]; default?: string }> } };
  jobs: Record<string, Job>;
  permissions: Record<string, string>;
  concurrency?: unknown;
};
const runsOf = (name: string) => jobs[name]?.steps.flatMap(({ run }) => run ?? []) ?? [];

describe('the delivery pipeline', () => {
  test('checks, deploys to staging, shows the changes to production, and deploys there last', () => {
    expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
      ['check', undefined],
      ['proof', undefined],
      ['staging', ['check', 'proof']],
      ['production-diff', 'staging'],
      ['production', 'production-diff'],
      ['urgent-diff', undefined],
      ['urgent', 'urgent-diff'],
    ]);
    expect(runsOf('check')).toEqual(['npm ci', 'npm run check', 'npm run build', 'npm run synth']);
    expect(runsOf('proof')).toEqual(['npm ci', 'npm run proof']);
    const diff = 'npx cdk diff --all';
    const stagingDiff = `${diff} --context installation=staging`;
    expect(runsOf('staging').slice(1)).toEqual([stagingDiff, 'npm run deploy -- staging']);
    expect(runsOf('production-diff').slice(1)).toEqual([`${diff} --method template --context installation=production`]);
    expect(runsOf('production').slice(1)).toEqual(['npm ci', 'npm run deploy -- production']);
  });

  test('deploys only what was merged, each time in an environment that can require an approval', () => {
    expect(jobs.staging?.if).toContain("github.event_name != 'pull_request' && github.ref == 'refs/heads/main'");
    const environments: Record<string, string | undefined> = { check: undefined, proof: undefined };
    const urgent = { 'urgent-diff': 'production-diff', urgent: 'production' };
    for (const [name, job] of Object.entries(jobs)) {
      expect(job.environment, name).toBe({ [name]: name, ...environments, ...urgent }[name]);
      expect(job['timeout-minutes'], name).toBeGreaterThan(0);
    }
  });

  test('deploys only the newest commit, to one installation once at a time, and interrupts no deployment', () => {
    expect(concurrency).toBeUndefined();
    for (const name of ['check', 'proof']) {
      const group = `${name}-${'$'}{{ github.head_ref || github.sha }}`;
      expect(jobs[name]?.concurrency).toEqual({ group, 'cancel-in-progress': true });
    }
    expect(jobs.staging?.concurrency).toBe('staging');
    expect(jobs['production-diff']?.concurrency).toBeUndefined();
    const newest = '$(gh api "repos/$GITHUB_REPOSITORY/commits/main" --jq .sha)';
    for (const name of ['production', 'urgent']) {
      expect(jobs[name]?.concurrency).toEqual({ group: 'production', 'cancel-in-progress': false });
      expect(runsOf(name)[0]).toBe(`test "${newest}" = "$GITHUB_SHA"`);
    }
  });

  test('stores no key: a job that deploys exchanges its token for a role', () => {
    expect(text).not.toMatch(/secrets\.|aws-access-key|aws-secret/);
    expect(permissions).toEqual({ contents: 'read' });
    expect([jobs.check?.permissions, jobs.proof?.permissions]).toEqual([undefined, undefined]);
    for (const name of ['staging', 'production-diff', 'production', 'urgent-diff', 'urgent']) {
      expect(jobs[name]?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    }
  });

  test('pins every action to a commit and refers to existing scripts of the package', () => {
    for (const { steps } of Object.values(jobs)) {
      for (const { uses, run } of steps) {
        if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
        const script = /^npm run ([\w-]+)/.exec(run ?? '')?.[1];
        if (script !== undefined) expect(Object.keys(scripts)).toContain(script);
      }
    }
  });

  test('can be started by hand to roll back or to deploy at once, after an approval and without the checks', () => {
    const { action, release } = on.workflow_dispatch.inputs;
    expect(action).toMatchObject({
      type: 'choice',
      options: ['deliver', 'roll back', 'emergency'],
      default: 'deliver',
    });
    expect(release?.type).toBe('string');
    for (const name of ['check', 'proof']) {
      expect(jobs[name]?.if).toBe("github.event_name != 'workflow_dispatch' || inputs.action == 'deliver'");
    }
    const condition =
      "github.event_name == 'workflow_dispatch' && inputs.action != 'deliver' && github.ref == 'refs/heads/main' && vars.AWS_DELIVERY == 'on'";
    expect(jobs['urgent-diff']?.if).toBe(condition);
    expect(runsOf('urgent-diff').at(-1)).toBe(runsOf('production-diff').at(-1));
    expect(runsOf('urgent').at(-1)).toBe('npm run deploy -- production --emergency');
    // What the reviewers see is what they approve.
    expect(runsOf('urgent').slice(1, -1)).toEqual(runsOf('urgent-diff').slice(0, -1));
    // Text that somebody enters is never part of a script.
    expect(text.match(/run:.*\$\{\{/g)).toBeNull();
  });

  describe('a rollback', () => {
    const step = jobs.urgent?.steps.find(one => one.if === "inputs.action == 'roll back'");
    const repository = () => {
      const cwd = scratchDirectory(onTestFinished);
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.test', ...args], {
          cwd,
          encoding: 'utf8',
        }).trim();
      const commit = (code: string, settings: string) => {
        writeFileSync(join(cwd, 'code'), code);
        writeFileSync(join(cwd, 'installations/production.json'), settings);
        git('add', '.');
        git('commit', '-qm', code);
        return git('rev-parse', 'HEAD');
      };
      git('init', '-q', '-b', 'main');
      mkdirSync(join(cwd, 'installations'));
      commit('first', 'of the first');
      git('tag', 'v1');
      git('checkout', '-qb', 'other');
      const unmerged = commit('unmerged', 'of the branch');
      git('checkout', '-q', 'main');
      const newest = commit('second', 'of today');
      const rollBack = (release: string) =>
        spawnSync('bash', ['-e', '-c', step?.run ?? ''], {
          cwd,
          env: { ...process.env, RELEASE: release, GITHUB_SHA: newest },
          encoding: 'utf8',
        });
      const read = (file: string) => readFileSync(join(cwd, file), 'utf8');
      const state = () => [read('code'), read('installations/production.json')];
      return { rollBack, state, unmerged, first: git('rev-parse', 'v1') };
    };

    test('takes the code of a release or commit, and the settings of today', () => {
      const { rollBack, state, first } = repository();
      for (const release of ['v1', first]) {
        expect(rollBack(release).status).toBe(0);
        expect(state()).toEqual(['first', 'of today']);
      }
    });

    test('refuses what is not on main, does not exist or is no commit', () => {
      const { rollBack, state, unmerged } = repository();
      for (const release of [unmerged, 'other', 'v9', '', '--help', '$(touch hacked)']) {
        expect(rollBack(release).status, release).not.toBe(0);
        expect(state()).toEqual(['second', 'of today']);
      }
      expect(rollBack(unmerged).stdout).toBe(`${unmerged} is not on main.\n`);
    });
  });

  const delivered = (settings: Record<string, unknown> = {}) => {
    const delivery = { deliveredBy: 'acme/holdfast:production-diff:production', ...settings };
    const { ofType, propertiesOf } = synthesize({ ...fullSettings, ...delivery });
    const roleThat = (verb: string) => {
      const roles = propertiesOf('AWS::IAM::Role').filter(({ Description }) => Description?.startsWith(verb));
      expect(roles).toHaveLength(1);
      const [{ AssumeRolePolicyDocument, Policies }] = roles;
      return { trust: AssumeRolePolicyDocument.Statement, statements: Policies[0].PolicyDocument.Statement };
    };
    return { ofType, deploys: roleThat('Deploys '), looks: roleThat('Shows ') };
  };
  const assumed = ({ statements }: { statements: { Resource: unknown }[] }) => {
    const text = JSON.stringify([statements[0]?.Resource].flat());
    return [...text.matchAll(/cdk-hnb659fds-([a-z-]+)-role-/g)].map(match => match[1]);
  };

  test.each([
    ['deploys', 'production'],
    ['looks', 'production-diff'],
  ] as const)('%s with a role for its own environment, limited to this workflow on main', (kind, environment) => {
    const { trust } = delivered()[kind];
    expect([trust.length, trust[0].Action]).toEqual([1, 'sts:AssumeRoleWithWebIdentity']);
    const claim = (name: string) => `token.actions.githubusercontent.com:${name}`;
    expect(trust[0].Condition).toEqual({
      StringEquals: {
        [claim('aud')]: 'sts.amazonaws.com',
        [claim('sub')]: [`repo:acme/holdfast:environment:${environment}`],
        [claim('ref')]: 'refs/heads/main',
        [claim('job_workflow_ref')]: 'acme/holdfast/.github/workflows/deliver.yml@refs/heads/main',
      },
    });
  });

  test('shows the diff with a read-only role, and deploys with one that can itself only upload the dashboard', () => {
    const { ofType, deploys, looks } = delivered();
    const actionsOf = ({ statements }: typeof looks) => statements.map(({ Action }: { Action: string }) => Action);
    expect(actionsOf(looks)).toEqual(['sts:AssumeRole']);
    expect(assumed(looks)).toEqual(['lookup']);
    const reading = ['cloudformation:DescribeStacks', 'cloudformation:ListStackResources'];
    const asking = ['sts:AssumeRole', reading, 'ses:GetEmailIdentity'];
    const listing = ['lambda:ListVersionsByFunction', 'lambda:GetAlias'];
    const others = [listing, 'lambda:DeleteFunction', 's3:PutObject', 'ssm:GetParameter'];
    expect(actionsOf(deploys)).toEqual([...asking, ...others]);
    // A version, never a function.
    const deleting = deploys.statements.find(({ Action }: { Action: string }) => Action === 'lambda:DeleteFunction');
    expect(JSON.stringify(deleting?.Resource)).toContain(':function:holdfast-*:*"');
    expect(assumed(deploys)).toEqual(['deploy', 'file-publishing', 'lookup']);
    // A stack's ARN ends with an id, and an object's with its name.
    const [bucket] = ofType('AWS::S3::Bucket');
    const resources = JSON.stringify([deploys.statements, looks.statements]);
    expect(resources).toMatch(new RegExp(`ExportsOutputFnGetAtt${bucket?.id}Arn\\w+"},"/\\*"`));
    const named =
      /holdfast-(?:foundation|api|api-\*|edge|delivery)\/\*|:identity\/\*|:function:holdfast-\*(?::live|:\*)?"|"\/\*"/g;
    expect(resources.replaceAll(named, '')).not.toContain('*');
    expect(synthesize().ofType('AWS::IAM::OIDCProvider')).toEqual([]);
  });

  test('covers every region that has a stack', () => {
    const regions = { region: 'eu-central-1', waf: true, replicaRegion: 'eu-west-1' };
    const { deploys, looks } = delivered(regions);
    for (const { statements } of [deploys, looks]) {
      const text = JSON.stringify(statements);
      for (const region of ['eu-central-1', 'us-east-1', 'eu-west-1']) expect(text).toContain(`-${region}"`);
    }
    expect(assumed(deploys)).toHaveLength(9);
  });

  test('creates the account’s provider for GitHub, which is retained, or uses an existing one', () => {
    const [provider] = delivered().ofType('AWS::IAM::OIDCProvider');
    expect(provider?.resource.DeletionPolicy).toBe('Retain');
    const { ofType, deploys } = delivered({ githubProvider: 'existing' });
    expect(ofType('AWS::IAM::OIDCProvider')).toEqual([]);
    expect(JSON.stringify(deploys.trust[0].Principal)).toContain('oidc-provider/token.actions.githubusercontent.com');
  });
});
