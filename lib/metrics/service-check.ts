import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { parseJson } from '../core/json.ts';
import { parameter } from '../core/parameter.ts';
import { settings } from '../core/settings.ts';

/** The account that checks the service, in an organization of its own, and the address it calls. */
export const CheckAccount = z.object({
  /** The API's base URL, including `/v1`. */
  url: z.url({ protocol: /^https?$/ }),
  email: z.string(),
  password: z.string(),
  organization: z.string(),
  project: z.string(),
  environment: z.string(),
});
export type CheckAccount = z.infer<typeof CheckAccount>;

/** @throws Error if the SSM parameter does not contain an account, without quoting the parameter */
export async function readCheckAccount(name: string): Promise<CheckAccount> {
  const { data } = CheckAccount.safeParse(parseJson((await parameter(name)) ?? '').value);
  if (data !== undefined) return data;
  throw new Error(`The parameter ${name} does not contain the account that checks the service.`);
}

const key = 'SERVICE_CHECK';

/** Longer than a cold start, shorter than a user would wait. */
const timeoutMs = 15_000;

interface CheckOptions {
  /** Under maintenance, nothing can be set. */
  isReadOnly?: boolean;
  /** Calls the gateway as CloudFront does, instead of the public address. */
  gatewayOrigin?: string | undefined;
}

/**
 * Uses the service like a client: logs in, sets a secret, pulls it and logs out. Under maintenance, it only reads.
 * @returns the duration of each step in milliseconds
 * @throws Error that names the failed step and the response's status and request id, never its body
 */
export async function checkService(account: CheckAccount, { isReadOnly = false, gatewayOrigin }: CheckOptions = {}) {
  const { url, email, password, organization, project, environment } = account;
  const environmentPath = `/secrets/${organization}/${project}/${environment}`;
  const value = randomUUID();
  const times: Record<string, number> = {};
  let cookie = '';
  const base = gatewayOrigin === undefined ? url : gatewayOrigin + new URL(url).pathname;
  const [edgeSecret = ''] = gatewayOrigin === undefined ? [] : settings().EDGE_SECRETS;
  const step = async (name: string, method: string, path: string, body?: object): Promise<Response> => {
    const startedAt = performance.now();
    const sent = {
      'x-requested-with': 'service',
      ...(body && { 'content-type': 'application/json' }),
      ...(edgeSecret !== '' && { 'x-origin-secret': edgeSecret }),
    };
    const response = await fetch(base + path, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: cookie === '' ? sent : { ...sent, cookie },
      body: body ? JSON.stringify(body) : null,
    }).catch((error: Error) => {
      throw new Error(`${name} got no response (${error.name}).`);
    });
    if (!response.ok) {
      const requestId = response.headers.get('x-request-id') ?? '-';
      throw new Error(`${name} failed with ${response.status}, request ${requestId}.`);
    }
    times[name] = Math.round(performance.now() - startedAt);
    return response;
  };
  const loggedIn = await step('log-in', 'POST', '/auth/login', { email, password });
  cookie = loggedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const written = isReadOnly ? undefined : await step('set', 'PUT', environmentPath, { key, value });
  const pull = await step('pull', 'GET', environmentPath);
  const { secrets } = (await pull.json()) as { secrets: { key: string; value: string; version: number }[] };
  if (written !== undefined) {
    const { secret } = (await written.json()) as { secret: { version: number } };
    const pulled = secrets.find(stored => stored.key === key);
    // Another check may have set it in the meantime.
    const isNewer = pulled !== undefined && pulled.version > secret.version;
    const isSame = pulled?.version === secret.version && pulled.value === value;
    if (!isNewer && !isSame) throw new Error('pull did not return the value that was just set.');
  }
  await step('log-out', 'POST', '/auth/logout');
  return times;
}
