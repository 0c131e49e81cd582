import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, type Api, createToken, type Person } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { injectFault } from '../support/inject-faults.ts';
import { startObservedApi, withFault } from '../support/observed-api.ts';

let api: Api;
let place: Workplace;
let members: string;
beforeAll(async () => {
  api = await startObservedApi();
  place = await openWorkplace(api);
  members = `/members/${place.owner.organization.id}`;
});
afterAll(() => api.stop());

async function memberIdOf({ user }: Person): Promise<string> {
  const { body } = await api.get(members, place.owner.session);
  return body.members.find(({ userId }: { userId: string }) => userId === user.id).id;
}

/** Sends a write that finds another one in its way. It waits, and `meanwhile` happens before its next attempt. */
async function sendWaiting(
  meanwhile: () => Promise<unknown>,
  send: (headers: Record<string, string>) => Promise<Answer>,
) {
  let waited = false;
  const conductor = {
    async attempt(...[call, send]: Parameters<NonNullable<ReturnType<typeof injectFault>['attempt']>>) {
      if (waited || call.operation !== 'TransactWriteItems') return send();
      waited = true;
      await meanwhile();
      return injectFault('conflict', call.position).attempt?.(call, send);
    },
  };
  const answer = await withFault({ conductor }, send);
  expect(waited).toBe(true);
  return [answer.status, answer.body.error?.code];
}

it('a write that waited is made if its member still may', async () => {
  const developer = await place.member('developer');

  const answer = await sendWaiting(
    async () => undefined,
    headers => place.set('dev', 'HONEST', 'x', { as: developer.session, headers }),
  );

  expect(answer).toEqual([201, undefined]);
});

it('a removed member’s waiting write is not made, with a session or a token', async () => {
  for (const credential of ['session', 'token', 'bound token']) {
    const developer = await place.member('developer');
    const scope = credential === 'bound token' ? { organizationId: place.owner.organization.id } : {};
    const as = credential === 'session' ? developer.session : await createToken(api, developer, scope);
    const id = await memberIdOf(developer);

    const answer = await sendWaiting(
      () => api.delete(`${members}/${id}`, place.owner.session),
      headers => place.set('dev', 'LATE', credential, { as, headers }),
    );

    expect(answer[0]).toBe(credential === 'bound token' ? 401 : 404);
  }
  expect(await place.values('dev')).not.toHaveProperty('LATE');
});

it('a demoted member’s waiting write is judged by the new role, and so is what a demoted owner waits to do', async () => {
  const developer = await place.member('developer');
  const id = await memberIdOf(developer);
  const demoted = await sendWaiting(
    () => api.patch(`${members}/${id}`, { role: 'viewer' }, place.owner.session),
    headers => place.set('dev', 'LATE', 'x', { as: developer.session, headers }),
  );
  expect(demoted).toEqual([403, 'forbidden']);

  const admin = await place.member('admin');
  const adminId = await memberIdOf(admin);
  const invited = await sendWaiting(
    () => api.patch(`${members}/${adminId}`, { role: 'viewer' }, place.owner.session),
    headers => api.post(`${members}/invite`, { email: 'late@example.com', role: 'viewer' }, admin.session, headers),
  );
  expect(invited).toEqual([403, 'forbidden']);
});

it('a revoked token’s and an ended session’s waiting write is not made', async () => {
  const developer = await place.member('developer');
  const issued = (await api.post('/auth/token', { name: 'x' }, developer.session)).body;
  const revoked = await sendWaiting(
    () => api.delete(`/auth/tokens/${issued.cliToken.id}`, developer.session),
    headers => place.set('dev', 'LATE', 'x', { as: { token: issued.token }, headers }),
  );
  const ended = await sendWaiting(
    () => api.post('/auth/logout', undefined, developer.session),
    headers => place.set('dev', 'LATE', 'x', { as: developer.session, headers }),
  );

  expect([revoked, ended]).toEqual([
    [401, 'unauthenticated'],
    [401, 'unauthenticated'],
  ]);
  expect(await place.values('dev')).not.toHaveProperty('LATE');
});
