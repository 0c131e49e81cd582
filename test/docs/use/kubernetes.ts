import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createProject, createToken as tokenOf } from '#test/support/api.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { type KubernetesSecret, type Manifest, reconcile } from '#test/support/webhook-provider.ts';
import { isInstalled, printed, printer, type Run, secrets, type World } from './world.ts';

/** The manifests, after kubectl has read them too. */
async function manifestsOf(text: string, { fill, file, shell }: World) {
  const filled = fill(text);
  const documents = parseAllDocuments(filled, { strict: true, uniqueKeys: true });
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const path = file('work/manifest.yaml', filled);
  if (filled.includes('apiVersion: apps/') && isInstalled('kubectl')) {
    expect(await shell(`kubectl annotate --local -f ${path} -o name read=yes`)).toContain('deployment.apps/web-shop');
  }
  return documents.map(document => document.toJS());
}

/** Both containers run here, with the volumes in the home directory. */
const runDeployment: Run = async (text, world) => {
  const [deployment] = await manifestsOf(text, world);
  const { serviceAccountName, initContainers, containers, volumes } = deployment.spec.template.spec;
  const { serviceAccountToken } = volumes[1].projected.sources[0];
  expect([serviceAccountName, serviceAccountToken.audience]).toEqual([
    'web-shop',
    `holdfast:identity:${world.identity}`,
  ]);
  const env = Object.fromEntries(containers[0].env.map(({ name, value }: Record<string, string>) => [name, value]));
  const token = await world.issuer.token(world.identity);
  const tokenFile = world.file(`kubernetes/${serviceAccountToken.path}`, token);
  expect(env.HOLDFAST_ID_TOKEN_FILE).toBe(`${containers[0].volumeMounts[1].mountPath}/${serviceAccountToken.path}`);

  world.file('work/server.js', printer);
  const here = (words: string[]) => words.map(word => word.replaceAll('/holdfast/run.sh', `${world.home}/work/run.sh`));
  const [init] = initContainers;
  await world.shell(here(init.args)[0] ?? '', {}, { command: here(init.command).slice(0, -1) });
  const command = here(containers[0].command).map(word => `'${word}'`);
  expect(await world.shell(command.join(' '), { ...env, HOLDFAST_ID_TOKEN_FILE: tokenFile })).toBe(printed);
};

/** kubectl runs, up to the request that needs a cluster. */
const createToken: Run = async (text, world, skip) => {
  if (!isInstalled('kubectl')) return skip('kubectl is not installed');
  const kubectl = (await world.shell('command -v kubectl')).trim();
  world.shim('kubectl', `[ "$1" = apply ] && exec cat >"$HOME/applied.yaml"\nexec ${kubectl} "$@"`);
  world.file('work/token', `${world.token}\n`);
  await world.shell(text);
  const secret = parse(readFileSync(join(world.home, 'applied.yaml'), 'utf8')) as KubernetesSecret;

  expect(secret).toMatchObject({ kind: 'Secret', metadata: { name: 'holdfast', namespace: 'web-shop' } });
  expect(Buffer.from(secret.data.token ?? '', 'base64').toString()).toBe(`${world.token}\n`);
  expect(secret.metadata.labels).toEqual({ 'external-secrets.io/type': 'webhook' });
  expect(await world.shell('ls token 2>/dev/null || echo none')).toBe('none\n');
};

/** What the block before this one creates. `holdfast tokens create` ends its line. */
const secretWith = (token: string): KubernetesSecret => ({
  metadata: { name: 'holdfast', labels: { 'external-secrets.io/type': 'webhook' } },
  data: { token: Buffer.from(`${token}\n`).toString('base64') },
});

const expectRetained = async (manifests: Manifest[], { api, ada }: World) => {
  const { token } = (await api.post('/auth/token', { name: 'elsewhere', access: 'read' }, ada.session)).body;
  const elsewhere = JSON.parse(JSON.stringify(manifests).replaceAll('/acme/', '/acme-2/'));
  await expect(reconcile(elsewhere, secretWith(token))).rejects.toThrow('404');
  const careless = JSON.parse(JSON.stringify(elsewhere).replaceAll('Retain', 'Delete'));
  expect(await reconcile(careless, secretWith(token))).toBeUndefined();
};

const replayOne: Run = async (text, world) => {
  const manifests = await manifestsOf(text, world);

  expect(await reconcile(manifests, secretWith(world.token))).toEqual({ url: secrets.DATABASE_URL });
  await expectRetained(manifests, world);
};

const replayAll: Run = async (text, world) => {
  const manifests = await manifestsOf(text, world);

  expect(await reconcile(manifests, secretWith(world.token))).toEqual(secrets);
  await expectRetained(manifests, world);
};

const replayLayers: Run = async (text, world) => {
  const manifests = await manifestsOf(text, world);
  const { api, ada, token } = world;
  const { organizations } = (await api.get('/auth/me', ada.session)).body;
  const organization = organizations.find(({ slug }: { slug: string }) => slug === 'acme');
  await createProject(api, { organization, session: ada.session }, 'Shared');
  const shared = { API_KEY: 'hidden', LOG_LEVEL: 'info' };
  await expectStatus(api.post('/secrets/acme/shared/production/bulk', { secrets: shared }, ada.session), 200);
  const ofBoth = await tokenOf(api, ada, { access: 'read', organizationId: organization.id });

  expect(await reconcile(manifests, secretWith(ofBoth.token))).toEqual({ ...secrets, LOG_LEVEL: 'info' });
  // The token of the other recipes reads one environment.
  await expect(reconcile(manifests, secretWith(token))).rejects.toThrow('404');
  await expectRetained(manifests, world);
};

export const kubernetes = [runDeployment, createToken, replayOne, replayAll, replayLayers];
