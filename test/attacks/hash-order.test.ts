import { createHook } from 'node:async_hooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { count } from '#lib/limits/count.ts';
import { networkOf } from '#lib/limits/network.ts';
import { failedLoginsOfNetwork } from '#lib/limits/rate-limits.ts';
import { type Answer, startApi, useApi } from '../support/api.ts';
import { shared } from '../support/fixtures.ts';
import { seedPerson, testPassword } from '../support/people.ts';
import { setScrypt } from '../support/quick-scrypt.ts';

/* A hash takes half a CPU second, so a request beyond a limit must not be hashed. Node reports each one that starts. */
let hashes = 0;
const counting = createHook({
  init: (_, type) => {
    if (type === 'SCRYPTREQUEST') hashes += 1;
  },
});

beforeAll(() => {
  setScrypt('real');
  counting.enable();
});
const api = useApi(() => startApi({ LOGIN_FAILURE_LIMIT: '1', REGISTER_LIMIT_PER_HOUR: '1' }));
const ada = shared(seedPerson);
const grace = shared(seedPerson);
beforeEach(() => {
  hashes = 0;
});
afterAll(() => {
  counting.disable();
  setScrypt('quick');
});

const wrong = 'not the password';
const logIn = (email: string, password: string) => api.post('/auth/login', { email, password });
const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status);

it('A log-in within the limits hashes once', async () => {
  expect((await logIn(ada.email, testPassword)).status).toBe(200);
  expect(hashes).toBe(1);
});

it("A log-in beyond its account's limit hashes nothing, whether the password is correct or not", async () => {
  expect((await logIn(ada.email, wrong)).status).toBe(401);
  hashes = 0;
  expect(statusesOf([await logIn(ada.email, wrong), await logIn(ada.email, testPassword)])).toEqual([429, 429]);
  expect(hashes).toBe(0);
});

it("A step-up or password change beyond its account's limit hashes nothing", async () => {
  const stepUp = (password: string) => api.post('/auth/step-up', { password }, grace.session);
  const change = (currentPassword: string) =>
    api.post('/auth/change-password', { currentPassword, newPassword: 'another good password' }, grace.session);
  expect((await stepUp(wrong)).status).toBe(400);
  hashes = 0;
  const answers = [await stepUp(wrong), await stepUp(testPassword), await change(wrong), await change(testPassword)];
  expect(statusesOf(answers)).toEqual([429, 429, 429, 429]);
  expect(hashes).toBe(0);
});

it("A registration beyond its address's limit hashes nothing", async () => {
  const register = (email: string) => api.post('/auth/register', { email, password: 'a new good password' });
  expect((await register('first@example.org')).status).toBe(201);
  hashes = 0;
  expect((await register('second@example.org')).status).toBe(429);
  expect(hashes).toBe(0);
});

it('A reset without a genuine link hashes nothing', async () => {
  const body = { token: 'a'.repeat(43), newPassword: 'a new good password' };
  expect((await api.post('/auth/reset-password', body)).status).toBeGreaterThanOrEqual(400);
  expect(hashes).toBe(0);
});

it("A log-in beyond its address's limit hashes nothing, whatever the account", async () => {
  // Ten times the limit of an account, one of which was used above.
  for (let failed = 1; failed < 10; failed += 1) await count(failedLoginsOfNetwork(networkOf('127.0.0.1')));
  const answers = [await logIn('someone-else@example.org', wrong), await logIn(grace.email, testPassword)];
  expect(statusesOf(answers)).toEqual([429, 429]);
  expect(hashes).toBe(0);
});
