import type { ApplyConflictBody, Manager } from './kubernetes-fields.ts';
import { fieldsOf, managedFieldsOf } from './kubernetes-fields.ts';
import { startTarget, type TargetAnswer, type TargetRequest, type TargetWorld } from './target-server.ts';

/*
 * The part of the Kubernetes API that a sync uses: Secrets with server-side apply and its managed fields, workloads with a
 * strategic merge patch, bearer tokens and RBAC. As documented in kubernetes.io/docs/reference/using-api/server-side-apply.
 */

interface Secret {
  resourceVersion: number;
  /** By field, such as `data.KEY` (base64) or `annotations.NAME`. */
  fields: Map<string, string>;
  managers: Manager[];
  immutable?: boolean;
}

/** The body of an apply. */
interface SentSecret {
  apiVersion?: string;
  kind?: string;
  metadata: { resourceVersion?: string; annotations?: Record<string, string>; managedFields?: unknown };
  data?: Record<string, string>;
}

export interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

export async function startKubernetes({ token = 'kube-token', tls = false } = {}) {
  const secrets = new Map<string, Secret>();
  /** Annotations of the pods' templates, by path. */
  const workloads = new Map<string, Record<string, string>>();
  let rules: Rule[] | undefined;
  const used = new Set<string>();
  let version = 100;

  const status = (code: number, reason: string, more: object = {}): TargetAnswer => ({
    status: code,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, ...more },
  });
  const isAllowed = (verb: string, group: string, resource: string, name: string): boolean => {
    if (rules === undefined) return true;
    const index = rules.findIndex(
      rule =>
        rule.verbs.includes(verb) &&
        rule.apiGroups.includes(group) &&
        rule.resources.includes(resource) &&
        // A creation has no name that a rule could limit it to.
        (rule.resourceNames === undefined || (verb !== 'create' && rule.resourceNames.includes(name))),
    );
    if (index >= 0) used.add(`${index} ${verb}`);
    return index >= 0;
  };
  const show = (name: string, namespace: string, secret: Secret) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    ...(secret.immutable ? { immutable: true } : {}),
    metadata: {
      name,
      namespace,
      resourceVersion: String(secret.resourceVersion),
      annotations: fieldsOf(secret.fields, 'annotations'),
      managedFields: managedFieldsOf(secret.managers),
    },
    data: fieldsOf(secret.fields, 'data'),
  });

  function create(request: TargetRequest, namespace: string): TargetAnswer {
    const { name, annotations = {} } = request.body.metadata;
    if (secrets.has(`${namespace}/${name}`)) return status(409, 'AlreadyExists');
    const secret = newSecret();
    secrets.set(`${namespace}/${name}`, secret);
    update(secret, request.query.get('fieldManager') ?? 'unknown', {
      ...prefixed('annotations', annotations),
      ...prefixed('data', request.body.data ?? {}),
    });
    return { status: 201, body: show(name, namespace, secret) };
  }

  /** A write that is no apply: the changed fields are the writer's from then on. */
  function update(secret: Secret, manager: string, changes: Record<string, string | null>): void {
    for (const [field, value] of Object.entries(changes)) {
      if (secret.fields.get(field) === value) continue;
      for (const one of secret.managers) one.fields.delete(field);
      if (value === null) secret.fields.delete(field);
      else {
        secret.fields.set(field, value);
        managerOf(secret, manager, 'Update').fields.add(field);
      }
    }
    secret.resourceVersion = ++version;
  }

  function apply(request: TargetRequest, namespace: string, name: string): TargetAnswer {
    if (request.headers['content-type'] !== 'application/apply-patch+yaml') return status(415, 'UnsupportedMediaType');
    const manager = request.query.get('fieldManager');
    const { metadata, data = {}, kind, apiVersion }: SentSecret = request.body;
    if (manager === null || kind !== 'Secret' || apiVersion !== 'v1' || metadata.managedFields !== undefined) {
      return status(400, 'BadRequest');
    }
    const secret = secrets.get(`${namespace}/${name}`) ?? newSecret();
    if (secret.immutable) return status(422, 'Invalid');
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== String(secret.resourceVersion)) {
      return status(409, 'Conflict', { message: 'the object has been modified' });
    }
    const applied = { ...prefixed('annotations', metadata.annotations ?? {}), ...prefixed('data', data) };
    const own = managerOf(secret, manager, 'Apply');
    const conflicts = conflictsOf(secret, own, applied);
    if (conflicts.length > 0 && request.query.get('force') !== 'true') {
      const causes = conflicts.map(field => ({
        reason: 'FieldManagerConflict' as const,
        field: `.${field.replace(/^annotations/, 'metadata.annotations')}`,
      }));
      return status(409, 'Conflict', { details: { causes } } satisfies ApplyConflictBody);
    }
    for (const field of conflicts) for (const one of secret.managers) if (one !== own) one.fields.delete(field);
    for (const field of own.fields) {
      const isOthers = secret.managers.some(one => one !== own && one.fields.has(field));
      if (!(field in applied) && !isOthers) secret.fields.delete(field);
    }
    for (const [field, value] of Object.entries(applied)) secret.fields.set(field, value);
    own.fields = new Set(Object.keys(applied));
    secret.resourceVersion = ++version;
    secrets.set(`${namespace}/${name}`, secret);
    return { status: 200, body: show(name, namespace, secret) };
  }

  const server = await startTarget(request => {
    if (request.headers.authorization !== `Bearer ${token}`) return status(401, 'Unauthorized');
    const [, namespace = '', name = ''] =
      /^\/api\/v1\/namespaces\/([^/]+)\/secrets(?:\/([^/]+))?$/.exec(request.path) ?? [];
    const verb = verbs[request.method] ?? 'none';
    if (namespace !== '') {
      if (!isAllowed(verb, '', 'secrets', name)) return status(403, 'Forbidden');
      if (verb === 'create') return create(request, namespace);
      const secret = secrets.get(`${namespace}/${name}`);
      if (verb === 'patch') {
        if (secret === undefined && !isAllowed('create', '', 'secrets', name)) return status(403, 'Forbidden');
        return apply(request, namespace, name);
      }
      return secret === undefined ? status(404, 'NotFound') : { status: 200, body: show(name, namespace, secret) };
    }
    const [, kind = '', of = ''] = /^\/apis\/apps\/v1\/namespaces\/[^/]+\/([a-z]+)\/([^/]+)$/.exec(request.path) ?? [];
    if (!isAllowed(verb, 'apps', kind, of)) return status(403, 'Forbidden');
    const annotations = workloads.get(`${kind}/${of}`);
    if (annotations === undefined) return status(404, 'NotFound');
    if (request.headers['content-type'] !== 'application/strategic-merge-patch+json')
      return status(415, 'UnsupportedMediaType');
    Object.assign(annotations, request.body.spec.template.metadata.annotations);
    return { status: 200, body: {} };
  }, tls);
  return {
    server,
    token,
    secrets,
    workloads,
    /** From now on, only these are allowed. */
    setRules: (next: Rule[]) => {
      rules = next;
      used.clear();
    },
    /** Verbs of the rules that no request has needed. */
    unusedRights: () =>
      (rules ?? []).flatMap((rule, index) =>
        rule.verbs.map(verb => `${index} ${verb}`).filter(right => !used.has(right)),
      ),
    /** As kubectl annotate does it. */
    annotate: (place: string, name: string, value: string) => {
      const secret = secrets.get(place);
      if (secret !== undefined) update(secret, 'kubectl-annotate', { [`annotations.${name}`]: value });
    },
    /** As kubectl edit does it. @param value null to delete the key */
    edit: (place: string, key: string, value: string | null) => {
      const secret = secrets.get(place) ?? newSecret();
      secrets.set(place, secret);
      update(secret, 'kubectl-edit', {
        [`data.${key}`]: value === null ? null : Buffer.from(value).toString('base64'),
      });
    },
    valuesOf: (place: string) =>
      new Map(
        Object.entries(fieldsOf(secrets.get(place)?.fields ?? new Map(), 'data')).map(([key, base64]) => [
          key,
          Buffer.from(base64, 'base64').toString(),
        ]),
      ),
    stop: server.stop,
  };
}

const newSecret = (): Secret => ({ resourceVersion: 0, fields: new Map(), managers: [] });

function managerOf(secret: Secret, manager: string, operation: Manager['operation']): Manager {
  const existing = secret.managers.find(one => one.manager === manager && one.operation === operation);
  if (existing !== undefined) return existing;
  const created = { manager, operation, fields: new Set<string>() };
  secret.managers.push(created);
  return created;
}

/** Fields of another value that others manage. */
const conflictsOf = (secret: Secret, own: Manager, applied: Record<string, string>): string[] =>
  Object.entries(applied).flatMap(([field, value]) => {
    const isOthers = secret.managers.some(one => one !== own && one.fields.has(field));
    return isOthers && secret.fields.get(field) !== value ? [field] : [];
  });

const verbs: Readonly<Record<string, string>> = { GET: 'get', POST: 'create', PATCH: 'patch' };

const prefixed = <T>(prefix: string, values: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));

export type Kubernetes = Awaited<ReturnType<typeof startKubernetes>>;

/** A kubeconfig for the server. */
export const kubeconfigOf = ({ server, token }: Kubernetes): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'local', user: 'tester' } }],
    clusters: [{ name: 'local', cluster: { server: server.url } }],
    users: [{ name: 'tester', user: { token } }],
  });

export async function openKubernetes(file: (name: string, text: string) => string): Promise<TargetWorld> {
  const kubernetes = await startKubernetes();
  const place = 'shop/web-shop';
  return {
    server: kubernetes.server,
    to: place,
    variables: { KUBECONFIG: file('kubeconfig.json', kubeconfigOf(kubernetes)) },
    values: () => kubernetes.valuesOf(place),
    set: (name, value) => kubernetes.edit(place, name, value),
    remove: name => kubernetes.edit(place, name, null),
    stop: kubernetes.stop,
  };
}
