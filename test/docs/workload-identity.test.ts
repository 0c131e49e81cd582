import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { platformNames, platforms } from '#clients/dashboard/src/screens/organization/identities/platforms.ts';
import { audienceOf } from '#lib/contracts/fields/identity-limits.ts';
import { createIdentity } from '#lib/contracts/identities/identities.ts';
import { requireTrust } from '#lib/identities/identities.ts';
import { blocksOf, read } from './pages.ts';

// biome-ignore lint/suspicious/noExplicitAny: files of several platforms
function parsed(text: string): any {
  const document = parseDocument(text, { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
}

const page = read('docs/workload-identity.md');
const [workflow, pipeline, pod] = blocksOf(page, 'yaml').map(parsed);
const [shortWorkflow] = blocksOf(read('clients/cli/README.md'), 'yaml').map(parsed);
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const settings = ['HOLDFAST_URL', 'HOLDFAST_ORG', 'HOLDFAST_PROJECT', 'HOLDFAST_ENV', 'HOLDFAST_IDENTITY'];

describe('the documented workflow of GitHub Actions', () => {
  it('requests the permission it needs, names its identity, and contains no secret', () => {
    const { deploy } = workflow.jobs;
    const [, action, last] = deploy.steps;

    expect(workflow.permissions['id-token']).toBe('write');
    expect(Object.keys(action.with)).toEqual(['url', 'organization', 'project', 'environment', 'identity']);
    expect(action.with.identity).toMatch(uuid);
    expect(last).toEqual({ run: './deploy.sh' });
    expect(JSON.stringify(workflow)).not.toMatch(/secrets\.[A-Z]|HOLDFAST_TOKEN/);
  });

  it('of the command line’s README installs it and does the same', () => {
    const { deploy } = shortWorkflow.jobs;

    expect(shortWorkflow.permissions['id-token']).toBe('write');
    expect(Object.keys(deploy.env)).toEqual(settings);
    expect(deploy.env.HOLDFAST_IDENTITY).toMatch(uuid);
    expect(deploy.steps.map(({ run }: { run?: string }) => run).slice(1)).toEqual([
      'curl -fsS "$HOLDFAST_URL/install.sh" | sh',
      expect.stringMatching(/^holdfast run -- /),
    ]);
    expect(JSON.stringify(shortWorkflow)).not.toMatch(/secrets\.[A-Z]|HOLDFAST_TOKEN/);
  });

  it('does not run for pull requests, grants only read access otherwise, and waits for the approval it proves', () => {
    expect(Object.keys(workflow.on)).toEqual(['push']);
    expect(workflow.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    expect(workflow.jobs.deploy.environment).toBe('production');
  });

  it('belongs to a deployer that the service accepts as printed', () => {
    const [command = ''] = blocksOf(page, 'sh');
    const body = JSON.parse(/-d '([\s\S]*)'/.exec(command)?.[1] ?? '');
    const { success, data } = createIdentity.body.safeParse(body);

    expect(success).toBe(true);
    expect(data).toMatchObject({ role: 'deployer', environmentId: expect.stringMatching(/./) });
    expect(data?.claims).toEqual({
      repository_id: '74',
      repository_owner_id: '65',
      environment: workflow.jobs.deploy.environment,
    });
  });
});

/** The settings of each job or container in a workflow, pipeline or pod. */
function settingsIn(file: unknown): object[] {
  if (typeof file !== 'object' || file === null) return [];
  if (Object.hasOwn(file, 'HOLDFAST_ORG')) return [file];
  if (Object.hasOwn(file, 'organization')) {
    const { organization, project, environment } = file as Record<string, unknown>;
    return [{ HOLDFAST_ORG: organization, HOLDFAST_PROJECT: project, HOLDFAST_ENV: environment }];
  }
  if (Array.isArray(file) && file.some(({ name }) => name === 'HOLDFAST_ORG')) {
    return [Object.fromEntries(file.map(({ name, value }) => [name, value]))];
  }
  return Object.values(file).flatMap(settingsIn);
}

describe('each platform', () => {
  const id = workflow.jobs.deploy.steps[1].with.identity;
  const job = {
    url: 'https://secrets.example.com',
    organization: 'acme',
    project: 'web-shop',
    environment: 'production',
    identity: { id, audience: audienceOf(id) },
  };

  it.each(platformNames)('%s is set up as the dashboard says, claim by claim', name => {
    const { claims, setUp } = platforms[name];
    for (const { language, text } of setUp(job)) expect(blocksOf(page, language)).toContain(`${text}\n`);
    for (const claim of claims) expect(page).toContain(`\`${claim.name}\``);
  });

  it.each(platformNames.filter(name => name !== 'another'))('%s has a recipe that the service accepts', name => {
    const { claims, issuer, singleUse, maxAssertionAgeMinutes } = platforms[name];
    const body = {
      name: 'production',
      role: 'deployer',
      access: 'read',
      projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
      environmentId: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094',
      issuer: issuer || 'https://issuer.example.com',
      claims: Object.fromEntries(claims.map(({ name: claim, value, example }) => [claim, value ?? example])),
      singleUse,
      maxAssertionAgeMinutes,
    };
    const accepted = createIdentity.body.parse(body);
    expect(() => requireTrust({ ...accepted, jwks: null })).not.toThrow();
  });

  // YAML 1.1, as GitLab and Kubernetes read it, takes the first four for something other than text.
  it.each(['no', '2026', '010', '1e3', 'production'])('has settings that are text in YAML for the slug %s', slug => {
    const files = platformNames.flatMap(name =>
      platforms[name].setUp({ ...job, organization: slug, project: slug, environment: slug }),
    );
    const texts = files.filter(({ language }) => language === 'yaml').map(({ text }) => text);
    for (const version of ['1.1', '1.2'] as const) {
      for (const text of texts) {
        const [found] = settingsIn(parseDocument(text, { version }).toJS());
        expect(found).toMatchObject({ HOLDFAST_ORG: slug, HOLDFAST_PROJECT: slug, HOLDFAST_ENV: slug });
      }
    }
    expect(texts).toHaveLength(3);
  });

  it('uses the audience of the identity it names', () => {
    const { deploy } = pipeline;
    const [container] = pod.spec.containers;
    const variables = Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );
    const { serviceAccountToken } = pod.spec.volumes[0].projected.sources[0];

    expect(Object.keys(deploy.variables)).toEqual(settings);
    expect(deploy.id_tokens.HOLDFAST_ID_TOKEN.aud).toBe(audienceOf(deploy.variables.HOLDFAST_IDENTITY));
    expect(serviceAccountToken.audience).toBe(audienceOf(variables.HOLDFAST_IDENTITY));
    expect(variables.HOLDFAST_ID_TOKEN_FILE).toBe(`${container.volumeMounts[0].mountPath}/${serviceAccountToken.path}`);
    // The recipe accepts tokens up to ten minutes old, and that is the minimum on Kubernetes.
    expect(serviceAccountToken.expirationSeconds).toBe(platforms.kubernetes.maxAssertionAgeMinutes * 60);
  });
});
