import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fullSettings, synthesize } from '../support/installation.ts';
import { words } from '../support/words.ts';

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
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}
const { jobs, permissions, concurrency } = parse(text) as {
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
    expect(jobs.staging?.if).toContain("github.event_name == 'push' && github.ref == 'refs/heads/main'");
    for (const [name, job] of Object.entries(jobs)) {
      if (name !== 'check' && name !== 'proof') expect(job.environment, name).toBe(name);
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
    expect(jobs.production?.concurrency).toEqual({ group: 'production', 'cancel-in-progress': false });
    const newest = '$(gh api "repos/$GITHUB_REPOSITORY/commits/main" --jq .sha)';
    expect(runsOf('production')[0]).toBe(`test "${newest}" = "$GITHUB_SHA"`);
  });

  test('stores no key: a job that deploys exchanges its token for a role', () => {
    expect(text).not.toMatch(/secrets\.|aws-access-key|aws-secret/);
    expect(permissions).toEqual({ contents: 'read' });
    expect([jobs.check?.permissions, jobs.proof?.permissions]).toEqual([undefined, undefined]);
    for (const name of ['staging', 'production-diff', 'production']) {
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
    const actions = words('sts:AssumeRole cloudformation:DescribeStacks s3:PutObject ssm:GetParameter');
    expect(actionsOf(deploys)).toEqual(actions);
    expect(assumed(deploys)).toEqual(['deploy', 'file-publishing', 'lookup']);
    // A stack's ARN ends with an id, and an object's with its name.
    const [bucket] = ofType('AWS::S3::Bucket');
    const resources = JSON.stringify([deploys.statements, looks.statements]);
    expect(resources).toMatch(new RegExp(`ExportsOutputFnGetAtt${bucket?.id}Arn\\w+"},"/\\*"`));
    expect(resources.replaceAll(/holdfast-(?:api|edge)\/\*|"\/\*"/g, '')).not.toContain('*');
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
