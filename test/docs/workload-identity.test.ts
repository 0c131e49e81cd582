import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { createIdentity } from '../../lib/contracts/identities/create-identity.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const blocksOf = (path: string, language: string) =>
  [...read(path).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(match => match[1] ?? '');

// biome-ignore lint/suspicious/noExplicitAny: files of several platforms
function parsed(text: string): any {
  const document = parseDocument(text, { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
}

const page = 'docs/workload-identity.md';
const [workflow, pipeline, pod] = blocksOf(page, 'yaml').map(parsed);
const [shortWorkflow] = blocksOf('clients/cli/README.md', 'yaml').map(parsed);
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const settings = ['HOLDFAST_URL', 'HOLDFAST_ORG', 'HOLDFAST_PROJECT', 'HOLDFAST_ENV', 'HOLDFAST_IDENTITY'];

describe('the documented workflow of GitHub Actions', () => {
  it.each([
    ['of the page', workflow],
    ['of the command line’s README', shortWorkflow],
  ])('%s requests the permission it needs, names its identity, and contains no secret', (_, file) => {
    const { deploy } = file.jobs;

    expect(file.permissions['id-token']).toBe('write');
    expect(Object.keys(deploy.env)).toEqual(settings);
    expect(deploy.env.HOLDFAST_IDENTITY).toMatch(uuid);
    expect(deploy.steps.at(-1).run).toMatch(/^holdfast run -- /);
    expect(JSON.stringify(file)).not.toMatch(/secrets\.[A-Z]|HOLDFAST_TOKEN/);
  });

  it('does not run for pull requests, and grants only read access otherwise', () => {
    expect(Object.keys(workflow.on)).toEqual(['push']);
    expect(workflow.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  });

  it('belongs to an identity that the service accepts as printed', () => {
    const [command = ''] = blocksOf(page, 'sh');
    const body = JSON.parse(/-d '([\s\S]*)'/.exec(command)?.[1] ?? '');
    const { success, data } = createIdentity.body.safeParse(body);

    expect(success).toBe(true);
    expect(data?.claims).toHaveProperty('repository_id');
    expect(data?.claims).toHaveProperty('repository_owner_id');
  });
});

describe('the other platforms', () => {
  it('use the audience of the identity they name', () => {
    const { deploy } = pipeline;
    const [container] = pod.spec.containers;
    const variables = Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );
    const { serviceAccountToken } = pod.spec.volumes[0].projected.sources[0];

    expect(Object.keys(deploy.variables)).toEqual(settings);
    expect(deploy.id_tokens.HOLDFAST_ID_TOKEN.aud).toBe(`holdfast:identity:${deploy.variables.HOLDFAST_IDENTITY}`);
    expect(serviceAccountToken.audience).toBe(`holdfast:identity:${variables.HOLDFAST_IDENTITY}`);
    expect(variables.HOLDFAST_ID_TOKEN_FILE).toBe(`${container.volumeMounts[0].mountPath}/${serviceAccountToken.path}`);
    // The service accepts tokens up to ten minutes old, and that is the minimum on Kubernetes.
    expect(serviceAccountToken.expirationSeconds).toBe(600);
  });
});
