import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fullSettings, synthesize } from '../support/installation.ts';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, '.github/workflows/deliver.yml'), 'utf8');
const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts as Record<string, string>;

interface Job {
  needs?: string;
  if?: string;
  environment?: string;
  permissions?: Record<string, string>;
  'timeout-minutes': number;
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}
const { jobs, permissions } = parse(text) as { jobs: Record<string, Job>; permissions: Record<string, string> };
const runsOf = (name: string) => jobs[name]?.steps.flatMap(({ run }) => run ?? []) ?? [];

describe('the delivery pipeline', () => {
  test('checks, deploys to staging, shows what production would become, and deploys there last', () => {
    expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
      ['check', undefined],
      ['staging', 'check'],
      ['production-diff', 'staging'],
      ['production', 'production-diff'],
    ]);
    expect(runsOf('check')).toEqual(['npm ci', 'npm run check', 'npm run build', 'npm run synth']);
    expect(runsOf('staging').slice(1)).toEqual([
      'npx cdk diff --all --context installation=staging',
      'npm run deploy -- staging',
    ]);
    expect(runsOf('production-diff').slice(1)).toEqual(['npx cdk diff --all --context installation=production']);
    expect(runsOf('production').slice(1)).toEqual(['npm run deploy -- production']);
  });

  test('deploys only what was merged, each time in an environment that can ask for an approval', () => {
    expect(jobs.staging?.if).toContain("github.event_name == 'push'");
    for (const [name, job] of Object.entries(jobs)) {
      if (name !== 'check') expect(job.environment, name).toBe(name);
      expect(job['timeout-minutes'], name).toBeGreaterThan(0);
    }
  });

  test('has no stored key: a job that deploys exchanges its token for a role', () => {
    expect(text).not.toMatch(/secrets\.|aws-access-key|aws-secret/);
    expect(permissions).toEqual({ contents: 'read' });
    expect(jobs.check?.permissions).toBeUndefined();
    for (const name of ['staging', 'production-diff', 'production']) {
      expect(jobs[name]?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    }
  });

  test('names every action by its commit and every script as the package has it', () => {
    for (const { steps } of Object.values(jobs)) {
      for (const { uses, run } of steps) {
        if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
        const script = /^npm run ([\w-]+)/.exec(run ?? '')?.[1];
        if (script !== undefined) expect(Object.keys(scripts)).toContain(script);
      }
    }
  });

  test('deploys by a role that only its own environments can take, and that does nothing itself', () => {
    const { ofType } = synthesize({ ...fullSettings, deliveredBy: 'acme/holdfast:production-diff:production' });
    const role = ofType('AWS::IAM::Role').find(({ resource }) =>
      String(resource.Properties.Description).startsWith('Deploys '),
    );
    const [trust] = role?.resource.Properties.AssumeRolePolicyDocument.Statement ?? [];
    expect(trust.Action).toBe('sts:AssumeRoleWithWebIdentity');
    expect(trust.Condition.StringEquals).toEqual({
      'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
      'token.actions.githubusercontent.com:sub': [
        'repo:acme/holdfast:environment:production-diff',
        'repo:acme/holdfast:environment:production',
      ],
    });
    const statements = role?.resource.Properties.Policies[0].PolicyDocument.Statement;
    expect(statements.map(({ Action }: { Action: string }) => Action)).toEqual(['sts:AssumeRole', 'ssm:GetParameter']);
    expect(JSON.stringify(statements[0].Resource)).not.toContain('*');
    expect(synthesize().ofType('AWS::IAM::OIDCProvider')).toEqual([]);
  });
});
