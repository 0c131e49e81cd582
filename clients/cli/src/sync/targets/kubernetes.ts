import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { usage } from '../../failure.ts';
import { launchOf } from '../../launch/launch.ts';
import { findProgram } from '../../run/find-program.ts';
import { environmentWithoutCredentials } from '../../withheld.ts';
import type { Answer, Asked, Held, Holding, Kit, Outcome, Place, Source, Step } from '../place.ts';
import { answered, moved, refused } from '../target-failure.ts';

/*
 * One Secret, written by server-side apply (kubernetes.io/docs/reference/using-api/server-side-apply). Which keys are ours
 * is in `managedFields`. Every write names the `resourceVersion` that was read, so it fails if anybody wrote since.
 */

const manager = 'holdfast';
const sourceAnnotation = 'holdfast/source';
const revisionAnnotation = 'holdfast/revision';
/** MaxSecretSize of the API, for the values of all keys. */
const maxSecretBytes = 1024 * 1024;
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const target = 'Kubernetes';

interface Secret {
  metadata: {
    resourceVersion: string;
    annotations?: Record<string, string>;
    deletionTimestamp?: string;
    managedFields?: { manager?: string; operation?: string; fieldsV1?: { 'f:data'?: Record<string, unknown> } }[];
  };
  /** Base64. */
  data?: Record<string, string>;
  immutable?: boolean;
}

type Send = (method: string, path: string, body?: unknown, type?: string) => Promise<Answer>;

export async function openPlace(to: string, kit: Kit): Promise<Place> {
  const [, namespace, name] = new RegExp(`^(${label})/(${label}(?:\\.${label})*)$`).exec(to) ?? [];
  if (namespace === undefined || name === undefined) throw usage('For kubernetes, --to is NAMESPACE/SECRET.');
  const server = await findServer(kit);
  const send: Send = (method, path, body, type = 'application/json') =>
    kit.request({
      method,
      url: `${server.url}${path}`,
      headers: { ...server.authorization(), accept: 'application/json', ...(body ? { 'content-type': type } : {}) },
      body: body === undefined ? undefined : JSON.stringify(body),
      tls: server.tls,
    });
  const place = { namespace, name, path: `/api/v1/namespaces/${namespace}/secrets` };
  let read: Secret | undefined;
  return {
    title: `the Secret ${name} in the namespace ${namespace}`,
    batchSize: Number.POSITIVE_INFINITY,
    hasRevision: true,
    // Pods usually take a whole Secret with `envFrom`.
    namesVariables: true,
    refuses: key => (key.length > 253 ? 'is longer than the 253 characters that a Secret allows' : undefined),
    refusesTogether: entries => {
      const bytes = entries.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
      const [largest] = entries.toSorted(([, a], [, b]) => b.length - a.length);
      if (bytes <= maxSecretBytes || largest === undefined) return [];
      return [{ key: largest[0], reason: 'is the largest of values that have more than 1 MiB together' }];
    },
    read: async () => {
      const answer = await send('GET', `${place.path}/${name}`);
      if (answer.status !== 200 && answer.status !== 404) throw failureOf(answer);
      read = answer.status === 200 ? answer.body : undefined;
      return holdingOf(read);
    },
    write: async (steps, outcome) => {
      const { resourceVersion } = (read ?? (await create(send, place, outcome.source))).metadata;
      await apply(send, place, { steps, outcome, resourceVersion, data: read?.data ?? {} });
    },
    restart: (workload, source) => restart(send, place, workload, source),
  };
}

function holdingOf(secret: Secret | undefined): Holding {
  if (secret === undefined) return { names: new Map() };
  const { annotations = {}, managedFields = [], deletionTimestamp } = secret.metadata;
  if (secret.immutable) throw refused('The Secret is immutable: Kubernetes allows no change.');
  if (deletionTimestamp !== undefined) throw refused('The Secret is being deleted.');
  const ours = new Set<string>();
  const others = new Set<string>();
  for (const { manager: by, operation, fieldsV1 } of managedFields) {
    const keys = Object.keys(fieldsV1?.['f:data'] ?? {}).filter(key => key.startsWith('f:'));
    for (const key of keys) (by === manager && operation === 'Apply' ? ours : others).add(key.slice(2));
  }
  const source = annotations[sourceAnnotation];
  const names = Object.entries(secret.data ?? {}).map(([key, base64]): [string, Held] => {
    const value = Buffer.from(base64, 'base64').toString();
    const isText = Buffer.from(value).toString('base64') === base64;
    // What others apply too is theirs as well.
    const isOurs = ours.has(key) && !others.has(key);
    return [key, { owner: isOurs ? source : undefined, ...(isText ? { value } : {}) }];
  });
  return { names: new Map(names), source, revision: annotations[revisionAnnotation] };
}

interface At {
  namespace: string;
  name: string;
  /** Of the namespace's Secrets. */
  path: string;
}

/** Without any key. An apply would overwrite what another sync creates at the same moment under the same manager. */
async function create(send: Send, { name, path }: At, source: Source): Promise<Secret> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name, annotations: { [sourceAnnotation]: source.name } },
  };
  const answer = await send('POST', `${path}?fieldManager=${manager}`, secret);
  if (answer.status === 409) throw moved('The Secret was created meanwhile.');
  if (answer.status !== 201) throw failureOf(answer);
  return answer.body;
}

interface Change {
  steps: readonly Step[];
  outcome: Outcome;
  resourceVersion: string;
  /** What is there, in base64. */
  data: Readonly<Record<string, string>>;
}

/** Server-side apply takes everything that we own: it removes what a later one leaves out. */
async function apply(send: Send, { name, path }: At, { steps, outcome, resourceVersion, data }: Change): Promise<void> {
  const { source, names } = outcome;
  const annotations = { [sourceAnnotation]: source.name, [revisionAnnotation]: source.revision };
  const entries = [...names].map(([key, value]) => [
    key,
    value === undefined ? data[key] : Buffer.from(value).toString('base64'),
  ]);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, resourceVersion, annotations },
    data: Object.fromEntries(entries),
  };
  // Only then does it take keys from others, and only those, because nothing has changed since they were read.
  const force = steps.some(({ kind }) => kind === 'adopt');
  const query = `fieldManager=${manager}&force=${force}`;
  const answer = await send('PATCH', `${path}/${name}?${query}`, secret, 'application/apply-patch+yaml');
  if (answer.status === 409) throw moved('The Secret was changed meanwhile.');
  if (answer.status !== 200 && answer.status !== 201) throw failureOf(answer);
}

/** An annotation of the pods' template, whose change starts them again. It is one for each Secret. */
async function restart(send: Send, { namespace, name }: At, workload: string, source: Source): Promise<void> {
  const [kind, of] = workload.split('/');
  const annotations = { [`revision.holdfast/${name.slice(0, 63).replace(/[-.]+$/, '')}`]: source.revision };
  const path = `/apis/apps/v1/namespaces/${namespace}/${kind}s/${of}`;
  const patch = { spec: { template: { metadata: { annotations } } } };
  const type = 'application/strategic-merge-patch+json';
  const answer = await send('PATCH', `${path}?fieldManager=${manager}`, patch, type);
  if (answer.status !== 200) throw failureOf(answer);
}

function failureOf({ status, body }: Answer) {
  return answered(target, status, body?.reason, {
    401: 'Is the token of the service account or of the kubeconfig still valid?',
    403: 'The Role of docs/use/sync.md has the rights that a sync needs.',
    404: 'Does the namespace exist, and with --restart the workload?',
  });
}

interface Server {
  url: string;
  authorization: () => Record<string, string>;
  tls: Asked['tls'];
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** As kubectl finds it: the kubeconfig that a variable names, the cluster of this pod, the user's own kubeconfig. */
async function findServer(kit: Kit): Promise<Server> {
  const { KUBECONFIG, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = kit.variables;
  if (!KUBECONFIG && host) {
    return {
      url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      // The kubelet replaces the file before the token expires.
      authorization: () => bearer(readFileSync(join(serviceAccount, 'token'), 'utf8').trim()),
      tls: { ca: readFileSync(join(serviceAccount, 'ca.crt')) },
    };
  }
  const path = KUBECONFIG || join(homedir(), '.kube/config');
  if (existsSync(path)) return fromKubeconfig(path, kit);
  throw usage(`There is no kubeconfig ${path}.`, 'Name one with KUBECONFIG, or run the sync in a pod.');
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

interface Kubeconfig {
  'current-context'?: string;
  contexts?: { name: string; context: { cluster: string; user: string } }[];
  clusters?: { name: string; cluster: Record<string, string | boolean | undefined> }[];
  users?: { name: string; user: Record<string, string | undefined> & { exec?: Plugin } }[];
}

/** A program that prints a token (client.authentication.k8s.io/v1). */
interface Plugin {
  apiVersion: string;
  command: string;
  args?: string[];
  env?: { name: string; value: string }[];
}

async function fromKubeconfig(path: string, kit: Kit): Promise<Server> {
  const config = (await kit.parseYaml(readFileSync(path, 'utf8'))) as Kubeconfig;
  const current = config.contexts?.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters?.find(({ name }) => name === current?.cluster)?.cluster;
  const user = config.users?.find(({ name }) => name === current?.user)?.user;
  if (cluster?.server === undefined || user === undefined) throw usage(`${path} has no complete current context.`);
  // Files are named relative to the kubeconfig.
  const read = (data: unknown, file: unknown) =>
    typeof data === 'string'
      ? Buffer.from(data, 'base64')
      : typeof file === 'string'
        ? readFileSync(resolve(dirname(path), file))
        : undefined;
  const token =
    user.token ?? read(undefined, user.tokenFile)?.toString().trim() ?? tokenOfPlugin(user.exec, dirname(path));
  const tls = {
    ca: read(cluster['certificate-authority-data'], cluster['certificate-authority']),
    cert: read(user['client-certificate-data'], user['client-certificate']),
    key: read(user['client-key-data'], user['client-key']),
    servername: cluster['tls-server-name'],
    ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
  };
  return {
    url: String(cluster.server).replace(/\/+$/, ''),
    authorization: () => (token === undefined ? {} : bearer(token)),
    tls: Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined)),
  };
}

/** @param directory that a relative path of the program begins at, as for kubectl */
function tokenOfPlugin(plugin: Plugin | undefined, directory: string): string | undefined {
  if (plugin === undefined) return undefined;
  const { apiVersion, command, args = [], env = [] } = plugin;
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const variables = { ...environmentWithoutCredentials(), ...own, KUBERNETES_EXEC_INFO: info };
  try {
    const program = /[\\/]/.test(command) ? resolve(directory, command) : command;
    const { file, args: words, options } = launchOf(findProgram(program, variables), [command, ...args]);
    const text = execFileSync(file, words, {
      ...options,
      encoding: 'utf8',
      env: variables,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return JSON.parse(text).status.token;
  } catch {
    throw refused(`${command}, which the kubeconfig names, printed no token.`);
  }
}
