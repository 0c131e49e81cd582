import { randomUUID } from 'node:crypto';
import { inject, onTestFinished, vi } from 'vitest';
import type { Downloads } from '#clients/cli/build-downloads.ts';
import type { DashboardFiles } from '#clients/dashboard/build.ts';
import { type LoadHandler, loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { startLocalStack } from '#infra/local/stack.ts';
import { issuingKey } from '#lib/access/credential-key.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { at, find } from '#lib/table/read.ts';
import { credentialKeyRecord } from '#lib/table/records/credentials.ts';
import { put, transact } from '#lib/table/write.ts';
import { shared } from './fixtures.ts';
import { sharedNameServer } from './name-server.ts';
import type { Person } from './people.ts';
import { startStandIns } from './stand-ins.ts';
import { checkedHandlers, requireRights } from './table-rights.ts';

/** The credentials of a request: a dashboard session, a bearer token, or none (undefined). */
export type Caller = { cookie: string } | { token: string } | undefined;

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response of the API
  body: any;
}

interface CallOptions {
  as?: Caller;
  /** Sent as JSON, except for a string, which is sent as it is. */
  body?: unknown;
  headers?: Record<string, string> | undefined;
}

/** Sends requests to the service at this base address, which ends with `/v1`. */
export function clientOf(url: string) {
  const call = async (method: string, path: string, { as, body, headers }: CallOptions = {}): Promise<Answer> => {
    const contentType = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { ...credentialHeaders(as), ...contentType, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const withoutBody = (method: string) => (path: string, as?: Caller, headers?: Record<string, string>) =>
    call(method, path, { as, headers });
  const withBody = (method: string) => (path: string, body: unknown, as?: Caller, headers?: Record<string, string>) =>
    call(method, path, { as, body, headers });
  return {
    url,
    call,
    get: withoutBody('GET'),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
    delete: withoutBody('DELETE'),
  };
}

export type Client = ReturnType<typeof clientOf>;

export interface Api extends Client {
  /** E-mails sent so far, oldest first. */
  mails(): Promise<{ to: string; subject: string; text: string; createdAt: string }[]>;
  stop(): Promise<void>;
}

/** The whole service in this process, so that AWS calls can be counted and intercepted; the table is its own. */
export async function startApi(
  settings: Record<string, string> = {},
  loadHandler?: LoadHandler,
  dashboard?: Promise<DashboardFiles>,
  downloads?: Promise<Downloads>,
): Promise<Api> {
  const standIns = await startStandIns();
  const startedAt = new Date().toISOString();
  const names = await sharedNameServer();
  const stack = await startLocalStack({
    port: 0,
    dataDir: 'memory',
    standIns,
    loadHandler: checkedHandlers(loadHandler ?? loadFromFunctions),
    ...(dashboard === undefined ? {} : { dashboard }),
    ...(downloads === undefined ? {} : { downloads }),
    env: {
      AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbUrl'),
      TABLE_NAME: `test-${randomUUID()}`,
      LOG_LEVEL: 'ERROR',
      LOGIN_FAILURE_LIMIT: '-1',
      DNS_SERVERS: names.address,
      ...settings,
    },
  });
  resetProcessMemory('settings');
  await shareCredentialKey();
  return {
    ...clientOf(stack.url),
    mails: async () => {
      const response = await fetch(new URL('/local/mail', stack.url));
      const { messages } = (await response.json()) as { messages: Awaited<ReturnType<Api['mails']>> };
      return messages.filter(({ createdAt }) => createdAt >= startedAt);
    },
    stop: async () => {
      await stack.stop();
      requireRights();
    },
  };
}

const credentialKey = at(credentialKeyRecord);
let keyOfProcess: { wrapped: Uint8Array } | undefined;

/** Gives a new table the first one's credential key: a process belongs to one installation. */
async function shareCredentialKey(): Promise<void> {
  if (keyOfProcess !== undefined) return transact([put(credentialKey, keyOfProcess)]);
  await issuingKey();
  keyOfProcess = await find(credentialKey);
}

/** The service, from before the first test of the file or block until after its last one. */
export const useApi = (start: () => Promise<Api> = startApi): Api => shared(start);

/** Other settings until the running test ends. */
export function useSettings(settings: Record<string, string>): void {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  resetProcessMemory('settings');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    resetProcessMemory('settings');
  });
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

export const codeOf = ({ status, body }: Answer): string => `${status} ${body?.error?.code ?? 'ok'}`;

function credentialHeaders(as: Caller): Record<string, string> {
  if (as === undefined) return {};
  if ('token' in as) return { authorization: `Bearer ${as.token}` };
  return { cookie: as.cookie, 'x-requested-with': 'service' };
}

export function sessionOf(answer: Answer): { cookie: string } {
  const cookie = answer.headers.getSetCookie().find(line => line.startsWith('__service_session='));
  if (cookie === undefined) throw new Error(`The answer (${answer.status}) sets no session cookie.`);
  return { cookie: cookie.split(';')[0] as string };
}

export async function createProject(
  { post }: Client,
  { organization, session }: Pick<Person, 'organization' | 'session'>,
  name = 'Shop',
): Promise<{ id: string; slug: string; environments: { id: string; slug: string }[] }> {
  const { status, body } = await post(`/projects/${organization.id}`, { name }, session);
  if (status !== 201) throw new Error(`Creating a project failed: ${status} ${JSON.stringify(body)}`);
  return body.project;
}

export async function createToken(
  { post }: Client,
  { session }: Partial<Person> & Pick<Person, 'session'>,
  scope: Record<string, unknown> = {},
): Promise<{ token: string }> {
  const { status, body } = await post('/auth/token', { name: 'test', ...scope }, session);
  if (status !== 201) throw new Error(`Creating a token failed: ${status} ${JSON.stringify(body)}`);
  return { token: body.token };
}
