import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { routes } from '#lib/contracts/routes.ts';
import { maintenanceMessage } from '#lib/core/errors.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { type Answer, type Api, createProject, createToken, sessionOf, startApi } from '#test/support/api.ts';
import { type Person, seedPerson, testPassword } from '#test/support/people.ts';

let api: Api;
let person: Person;
let token: { token: string };
let secrets: string;
beforeAll(async () => {
  api = await startApi({ LOG_LEVEL: 'WARN' });
  person = await seedPerson();
  const { slug } = await createProject(api, person);
  secrets = `/secrets/${person.organization.slug}/${slug}/dev`;
  token = await createToken(api, person);
  await api.put(secrets, { key: 'REGION', value: 'eu' }, token);
});
afterAll(() => api.stop());

let lines: string[];
beforeEach(() => {
  lines = [];
  vi.spyOn(process.stdout, 'write').mockImplementation(text => lines.push(String(text)) > 0);
});

function set(name: string, value: string): void {
  vi.stubEnv(name, value);
  resetProcessMemory('settings');
}
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  resetProcessMemory('settings');
});

const logIn = () => api.post('/auth/login', { email: person.email, password: testPassword });
const isRefused = ({ status, body }: Answer) => status === 503 && body.error.code === 'temporarily_unavailable';

describe('under maintenance', () => {
  it('a change is rejected with Retry-After, without logging an error', async () => {
    set('MAINTENANCE', 'true');

    const answer = await api.put(secrets, { key: 'REGION', value: 'us' }, token);

    expect(isRefused(answer)).toBe(true);
    expect(answer.headers.get('retry-after')).toBe('60');
    const levels = lines
      .filter(line => line.includes('returned temporarily_unavailable'))
      .map(line => JSON.parse(line));
    // The deployment counts these lines, because the 503s are no failures.
    expect(levels.map(({ level, reason }) => [level, reason])).toEqual([['WARN', maintenanceMessage]]);
  });

  it('every route that changes a tenant’s data is rejected, and no other', async () => {
    set('MAINTENANCE', 'true');

    const served: string[] = [];
    for (const { operationId, method, path } of routes) {
      const filled = path.replace('/v1', '').replaceAll(/\{\w+\}/g, 'x');
      const answer = await api.call(method, filled, method === 'GET' ? {} : { body: {} });
      if (!isRefused(answer)) served.push(operationId);
    }

    const reads = routes.filter(({ method }) => method === 'GET').map(({ operationId }) => operationId);
    expect(served.filter(name => !reads.includes(name as never)).sort()).toEqual([
      'complete-login',
      'continue-provider-sign-in',
      'end-session',
      'exchange-assertion',
      'log-in',
      'log-out',
      'start-passkey-login',
      'step-up',
    ]);
    expect(served).toEqual(expect.arrayContaining(reads));
  });

  it('logging in, pulling and logging out keep working', async () => {
    set('MAINTENANCE', 'true');

    const session = sessionOf(await logIn());
    const pulled = await api.get(secrets, session);
    const loggedOut = await api.post('/auth/logout', undefined, session);

    expect(pulled.body.secrets).toMatchObject([{ key: 'REGION', value: 'eu' }]);
    expect(loggedOut.status).toBe(200);
    expect((await api.get('/auth/me', session)).status).toBe(401);
  });
});

describe('in a restored table', () => {
  it('sessions from before the restore have ended, so a log-out made since then holds; tokens keep working', async () => {
    const before = sessionOf(await logIn());
    set('RESTORED_TABLE', 'holdfast-restored');

    expect((await api.get('/auth/me', before)).status).toBe(401);
    expect((await api.get('/auth/me', token)).status).toBe(200);
    const after = sessionOf(await logIn());
    const { sessions } = (await api.get('/auth/sessions', after)).body;
    expect(sessions).toHaveLength(1);
  });

  it('sessions end again with the next restore', async () => {
    set('RESTORED_TABLE', 'holdfast-restored');
    const session = sessionOf(await logIn());
    expect((await api.get('/auth/me', session)).status).toBe(200);

    set('RESTORED_TABLE', 'holdfast-restored-again');
    expect((await api.get('/auth/me', session)).status).toBe(401);
  });
});
