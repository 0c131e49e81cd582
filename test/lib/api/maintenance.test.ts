import { beforeAll, describe, expect, it } from 'vitest';
import type { Contract } from '#lib/contracts/contract.ts';
import { routes } from '#lib/contracts/routes.ts';
import { maintenanceMessage } from '#lib/core/errors.ts';
import { codeOf, createProject, createToken, startApi, useSettings } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { captureLog } from '#test/support/log-lines.ts';
import { seedPerson } from '#test/support/people.ts';
import { join } from '#test/support/sample-requests.ts';
import { logInAs } from '#test/support/sign-in/scene.ts';
import { words } from '#test/support/words.ts';

let token: { token: string };
let secrets: string;
const api = shared(() => startApi({ LOG_LEVEL: 'WARN' }));
const person = shared(seedPerson);
beforeAll(async () => {
  await createProject(api, person);
  secrets = `/secrets/${person.organization.slug}/shop/dev`;
  token = await createToken(api, person);
  await api.put(secrets, { key: 'REGION', value: 'eu' }, token);
});

const logIn = () => logInAs(api, person);
const refused = '503 temporarily_unavailable';

describe('under maintenance', () => {
  it('a change is rejected with Retry-After, without logging an error', async () => {
    useSettings({ MAINTENANCE: 'true' });
    const lines = captureLog();

    const answer = await api.put(secrets, { key: 'REGION', value: 'us' }, token);

    expect(codeOf(answer)).toBe(refused);
    expect(answer.headers.get('retry-after')).toBe('60');
    // The deployment counts these lines, because the 503s are no failures.
    const returned = lines.filter(({ message }) => message.includes('returned temporarily_unavailable'));
    expect(returned).toMatchObject([{ level: 'WARN', reason: maintenanceMessage }]);
  });

  it('every route that changes a tenant’s data is rejected, unless it only takes rights away, and no other', async () => {
    useSettings({ MAINTENANCE: 'true' });

    const served: string[] = [];
    for (const { operationId, method, path } of routes) {
      const filled = path.replace('/v1', '').replaceAll(/\{\w+\}/g, 'x');
      const answer = await api.call(method, filled, method === 'GET' ? {} : { body: {} });
      if (codeOf(answer) !== refused) served.push(operationId);
    }

    const reads = routes.filter(({ method }) => method === 'GET').map(({ operationId }) => operationId);
    const allowed =
      words(`change-password change-role close-account complete-login continue-provider-sign-in delete-identity
      delete-webhook end-provider-link end-session exchange-assertion leave-organization log-in log-out remove-member
      revoke-current-token revoke-grant revoke-token set-project-roles start-passkey-login step-up undo-email-change`);
    expect(served.filter(name => !reads.includes(name as never)).sort()).toEqual(allowed);
    expect(served).toEqual(expect.arrayContaining(reads));
  });

  it('a stolen token can be revoked, a member lowered and removed, but nobody raised', async () => {
    const [stolen, colleague] = [await createToken(api, person), await seedPerson()];
    const member = await join(api, person, colleague, 'developer');
    const path = `/members/${person.organization.id}/${member.id}`;
    useSettings({ MAINTENANCE: 'true' });
    const role = (to: string) => api.patch(path, { role: to }, person.session);

    expect((await api.delete('/auth/tokens/current', stolen)).status).toBe(200);
    expect((await api.get('/auth/me', stolen)).status).toBe(401);
    expect([codeOf(await role('admin')), codeOf(await role('developer'))]).toEqual([refused, refused]);
    expect((await role('viewer')).status).toBe(200);
    expect((await api.delete(path, person.session)).status).toBe(200);
    expect(codeOf(await api.get(`/orgs/${person.organization.id}/sign-in`, colleague.session))).toContain('404');
  });

  it('what revokes is recorded for the table that replaces this one', () => {
    const revoking: readonly Contract[] = routes.filter(route => 'revokes' in route);
    const unrecorded = revoking.filter(({ uses }) => uses.table.PutItem?.includes('REVOCATIONS') !== true);
    expect(unrecorded.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('logging in, pulling and logging out keep working', async () => {
    useSettings({ MAINTENANCE: 'true' });

    const session = await logIn();
    const pulled = await api.get(secrets, session);
    const loggedOut = await api.post('/auth/logout', undefined, session);

    expect(pulled.body.secrets).toMatchObject([{ key: 'REGION', value: 'eu' }]);
    expect(loggedOut.status).toBe(200);
    expect((await api.get('/auth/me', session)).status).toBe(401);
  });
});

describe('in a restored table', () => {
  it('sessions from before the restore have ended, so a log-out made since then holds; tokens keep working', async () => {
    const before = await logIn();
    useSettings({ RESTORED_TABLE: 'holdfast-restored' });

    expect((await api.get('/auth/me', before)).status).toBe(401);
    expect((await api.get('/auth/me', token)).status).toBe(200);
    const after = await logIn();
    const { sessions } = (await api.get('/auth/sessions', after)).body;
    expect(sessions).toHaveLength(1);
  });

  it('sessions end again with the next restore', async () => {
    useSettings({ RESTORED_TABLE: 'holdfast-restored' });
    const session = await logIn();
    expect((await api.get('/auth/me', session)).status).toBe(200);

    useSettings({ RESTORED_TABLE: 'holdfast-restored-again' });
    expect((await api.get('/auth/me', session)).status).toBe(401);
  });
});
