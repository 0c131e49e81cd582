import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Role } from 'kubernetes-models/rbac.authorization.k8s.io/v1/Role';
import { RoleBinding } from 'kubernetes-models/rbac.authorization.k8s.io/v1/RoleBinding';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { expect, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { untilEnd } from '#test/support/fixtures.ts';
import { awsVariables, startAws } from '#test/support/sync-targets/aws.ts';
import { openCloudflare } from '#test/support/sync-targets/cloudflare.ts';
import { openGitHub } from '#test/support/sync-targets/github.ts';
import { kubeconfigOf, startKubernetes } from '#test/support/sync-targets/kubernetes.ts';
import type { TargetWorld } from '#test/support/sync-targets/target-server.ts';
import { openVercel } from '#test/support/sync-targets/vercel.ts';
import { type Run, secrets, settingsOf, type World } from './world.ts';

/** A pipeline's variables; the pages name the environment themselves. */
const signedIn = (world: World): Record<string, string> => {
  const { HOLDFAST_ENV: _, HOLDFAST_IDENTITY: __, ...place } = settingsOf(world);
  return { ...place, HOLDFAST_TOKEN: world.token };
};

/** Runs the commands against a server of the target, which has the values afterwards. */
const writing =
  (open: () => Promise<TargetWorld>): Run =>
  async (text, world) => {
    const target = await untilEnd(open());
    world.file('work/token', `${target.variables.GITHUB_TOKEN}\n`);
    await world.shell(text, { ...signedIn(world), ...target.variables });
    expect(Object.fromEntries(target.values())).toEqual(secrets);
  };

const writeParameters: Run = async (text, world) => {
  const aws = await untilEnd(startAws());
  await world.shell(text, { ...signedIn(world), ...awsVariables(aws.server.url) });
  const written = [...aws.parameters].map(([name, { value, type }]) => [name, value, type]);
  expect(written).toEqual(Object.entries(secrets).map(([key, value]) => [`/shop/prod/${key}`, value, 'SecureString']));
};

const writeSecrets: Run = async (text, world) => {
  const aws = await untilEnd(startAws());
  await world.shell(text, { ...signedIn(world), ...awsVariables(aws.server.url) });
  const current = [...aws.secrets].map(([name, { versions, stages }]): [string, string] => [
    name,
    versions.get(stages.get('AWSCURRENT') ?? '') ?? '',
  ]);
  const { 'shop/settings': settings = '', ...each } = Object.fromEntries(current);
  expect(each).toEqual(Object.fromEntries(Object.entries(secrets).map(([key, value]) => [`shop/prod/${key}`, value])));
  expect(JSON.parse(settings)).toEqual({
    ...secrets,
    HOLDFAST_SYNC: expect.stringContaining('acme/web-shop/production'),
  });
};

const showPlan: Run = async (text, world) => {
  const kubernetes = await untilEnd(startKubernetes());
  const KUBECONFIG = world.file('kubeconfig.json', kubeconfigOf(kubernetes));
  const printed = await world.shell(text, { ...signedIn(world), KUBECONFIG });
  expect(printed).toBe(
    Object.keys(secrets)
      .map(key => `+ ${key} = ••••••••\n`)
      .join(''),
  );
  expect(kubernetes.secrets.size).toBe(0);
};

const models = { ServiceAccount, Role, RoleBinding, Deployment };

/** The manifests are valid, and the Role allows exactly the requests of the Deployment's container. */
const followInCluster: Run = async (text, world) => {
  const documents = parseAllDocuments(world.fill(text), { strict: true, uniqueKeys: true });
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const manifests = documents.map(document => document.toJS());
  for (const manifest of manifests) new models[manifest.kind as keyof typeof models](manifest).validate();
  const [account, role, binding, deployment] = manifests;
  expect(binding).toMatchObject({
    roleRef: { kind: 'Role', name: role.metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: account.metadata.name, namespace: account.metadata.namespace }],
  });
  const { serviceAccountName, containers, volumes } = deployment.spec.template.spec;
  expect([serviceAccountName, deployment.spec.replicas]).toEqual([account.metadata.name, 1]);
  const { serviceAccountToken } = volumes[0].projected.sources[0];
  expect(serviceAccountToken.audience).toBe(`holdfast:identity:${world.identity}`);

  const kubernetes = await untilEnd(startKubernetes());
  kubernetes.setRules(role.rules);
  kubernetes.workloads.set('deployments/web-shop', {});
  const [{ command, args, env: variables }] = containers;
  const env = {
    ...Object.fromEntries(variables.map(({ name, value }: Record<string, string>) => [name, value])),
    HOLDFAST_ID_TOKEN_FILE: world.file('sync/token', await world.issuer.token(world.identity)),
    KUBECONFIG: world.file('kubeconfig.json', kubeconfigOf(kubernetes)),
  };
  const words = [...command, ...args].map(word => `'${word}'`).join(' ');
  const running = world.shell(`${words} & echo $! >pid; wait $! || [ $? = 143 ]`, env);
  const { revision } = (await world.api.get('/secrets/acme/web-shop/production/keys', world.ada.session)).body;
  const annotations = () => Object.values(kubernetes.workloads.get('deployments/web-shop') ?? {});
  await vi.waitFor(() => expect(annotations()).toEqual([String(revision)]), { timeout: 100_000 });
  expect(Object.fromEntries(kubernetes.valuesOf('shop/web-shop'))).toEqual(secrets);
  await world.shell('kill "$(cat pid)"');
  await running;
  expect(kubernetes.unusedRights()).toEqual([]);
};

export const sync = [
  writing(openGitHub),
  writeParameters,
  writeSecrets,
  writing(openVercel),
  writing(openCloudflare),
  showPlan,
  followInCluster,
];
