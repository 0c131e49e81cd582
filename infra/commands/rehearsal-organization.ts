import { setTimeout as sleep } from 'node:timers/promises';

/** The session cookie of the registered user, once there is one. */
export interface Session {
  cookie?: string | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: any response of the API
type Call = (method: string, path: string, body?: unknown) => Promise<{ body: any }>;

/**
 * Calls the API as the registered user. The caller keeps the session, so that it outlives the service.
 * @throws Error if a response is an error
 */
export function apiAt(url: string, session: Session): Call {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        'x-requested-with': 'service',
        ...(session.cookie === undefined ? {} : { cookie: session.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    session.cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? session.cookie;
    return { body: JSON.parse(text) };
  };
}

/** The location of the rehearsal's data. */
export interface Filled {
  organizationId: string;
  /** Paths of the project's secrets and of the project. */
  secrets: string;
  project: string;
}

const environments = ['dev', 'staging', 'production'];

/**
 * Creates a small organization with everything that a restore could lose: histories, deletions, a rotated key, other
 * kinds of items.
 */
export async function fill(call: Call): Promise<Filled> {
  const registered = await call('POST', '/auth/register', {
    email: 'rehearsal@example.com',
    password: 'correct horse battery',
    name: 'Rehearsal',
  });
  const { id: organizationId, slug } = registered.body.organization;
  const project = `/projects/${organizationId}/shop`;
  const secrets = `/secrets/${slug}/shop`;
  await call('POST', `/projects/${organizationId}`, { name: 'Shop', slug: 'shop' });
  for (const [index, env] of environments.entries()) {
    const imported = Array.from({ length: 40 * (index + 1) }, (_, key) => ({
      key: `KEY_${key}`,
      value: `${env} ${key} \u{1f511} ${'x'.repeat(key * 7)}`,
    }));
    await call('POST', `${secrets}/${env}/bulk`, { secrets: imported });
    for (const value of ['second', 'third']) await call('PUT', `${secrets}/${env}`, { key: 'KEY_1', value });
    await call('DELETE', `${secrets}/${env}/KEY_2`);
  }
  await call('POST', `${project}/rotate-key`);
  for (let tries = 0; (await call('GET', project)).body.project.rotation.status !== 'completed'; tries += 1) {
    if (tries > 300) throw new Error('The key rotation did not complete.');
    await sleep(100);
  }
  await call('PUT', `${secrets}/dev`, { key: 'KEY_0', value: 'set after the rotation' });
  await call('POST', `/templates/${slug}/shop`, { key: 'KEY_0', pattern: '.+' });
  await call('POST', `/members/${organizationId}/invite`, { email: 'guest@example.com', role: 'developer' });
  return { organizationId, secrets, project };
}

/** Reads everything about the organization. The audit log comes first, because reading values adds to it. */
export async function readEverything(
  call: Call,
  { organizationId, secrets, project }: Filled,
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const read = async (name: string, path: string) => {
    answers[name] = (await call('GET', path)).body;
  };
  const { entries } = (await call('GET', `/audit/${organizationId}?limit=500`)).body;
  // This function's own reads are audited, so only changes are compared.
  answers.audit = entries.filter(
    ({ action }: { action: string }) => !['secret.pulled', 'secret.history_read'].includes(action),
  );
  await read('project', project);
  await read('members', `/members/${organizationId}`);
  for (const env of environments) {
    await read(`${env}: secrets`, `${secrets}/${env}`);
    for (const key of ['KEY_0', 'KEY_1', 'KEY_2']) {
      await read(`${env}: history of ${key}`, `${secrets}/${env}/versions/${key}?values=true`);
    }
  }
  return answers;
}

export function summaryOf(answers: Record<string, unknown>): string {
  const values = environments.map(env => (answers[`${env}: secrets`] as { secrets: unknown[] }).secrets.length);
  return `${values.reduce((sum, count) => sum + count, 0)} secrets in ${environments.length} environments, ${(answers.audit as unknown[]).length} changes in the audit log`;
}

/** Checks that changes continue where they stopped before the restore. */
export async function changeAgain(call: Call, { organizationId, secrets }: Filled): Promise<void> {
  const before = (await call('GET', `${secrets}/dev/keys`)).body.revision;
  const { body } = await call('PUT', `${secrets}/dev`, { key: 'KEY_2', value: 'set again after the restore' });
  if (body.revision !== before + 1 || body.secret.version !== 3) {
    throw new Error(`A change after the restore has revision ${body.revision} and version ${body.secret.version}.`);
  }
  await call('POST', `/projects/${organizationId}`, { name: 'Second' });
}

/** Checks that the service accepts reads and rejects changes. @throws Error if a change succeeds */
export async function refusesChanges(call: Call, { secrets }: Filled): Promise<void> {
  const before = (await call('GET', `${secrets}/dev`)).body.revision;
  const refused = await call('PUT', `${secrets}/dev`, { key: 'KEY_3', value: 'not now' }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (refused === undefined || !refused.includes('under maintenance')) {
    throw new Error(`A change under maintenance was not rejected: ${refused ?? 'it succeeded'}.`);
  }
  const { revision } = (await call('GET', `${secrets}/dev`)).body;
  if (revision !== before) throw new Error('The revision changed under maintenance.');
}
