import { usage } from '../../failure.ts';
import { findCluster } from '../kubeconfig.ts';
import type { Answer, Held, Holding, Kit, Outcome, Place, Source, Step } from '../place.ts';
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
  const cluster = await findCluster(kit);
  const send: Send = async (method, path, body, type = 'application/json') => {
    const { headers, tls } = cluster.credentials();
    return kit.request({
      method,
      url: `${cluster.url}${path}`,
      headers: { ...headers, accept: 'application/json', ...(body ? { 'content-type': type } : {}) },
      body: body === undefined ? undefined : JSON.stringify(body),
      tls,
    });
  };
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
    write: async (steps, outcome, completes) => {
      const { resourceVersion } = (read ?? (await create(send, place, outcome.source))).metadata;
      await apply(send, place, { steps, outcome, completes, resourceVersion, data: read?.data ?? {} });
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
  completes: boolean;
  resourceVersion: string;
  /** What is there, in base64. */
  data: Readonly<Record<string, string>>;
}

/** Server-side apply takes everything that we own: it removes what a later one leaves out. */
async function apply(send: Send, { name, path }: At, change: Change): Promise<void> {
  const { steps, outcome, completes, resourceVersion, data } = change;
  const { source, names } = outcome;
  const annotations = {
    [sourceAnnotation]: source.name,
    ...(completes ? { [revisionAnnotation]: source.revision } : {}),
  };
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
  if (answer.status === 409) {
    const fields = [...names.keys(), ...Object.keys(annotations)].filter(field => isContested(answer, field));
    throw moved(`The Secret was changed meanwhile${fields.length === 0 ? '' : ` (${fields.join(', ')})`}.`);
  }
  if (answer.status !== 200 && answer.status !== 201) throw failureOf(answer);
}

/** Whether another field manager has the field: `.data.KEY` or `.metadata.annotations.NAME`. */
const isContested = ({ body }: Answer, field: string): boolean =>
  (body?.details?.causes ?? []).some((cause: { field?: string }) =>
    [`.data.${field}`, `.metadata.annotations.${field}`].includes(cause.field ?? ''),
  );

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
