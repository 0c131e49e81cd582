import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { networkOf } from '#lib/limits/network.ts';
import { failedLoginsOfNetwork } from '#lib/limits/rate-limits.ts';
import { at, find } from '#lib/table/read.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { codeOf, nowSeconds, sessionOf, startApi, useApi } from '../support/api.ts';
import { type Person, seedPerson, testPassword } from '../support/people.ts';

const api = useApi(() => startApi({ LOGIN_FAILURE_LIMIT: '2', REGISTER_LIMIT_PER_HOUR: '-1' }));
let network: string;
beforeAll(async () => {
  const person = await seedPerson();
  const { body } = await api.get('/auth/sessions', sessionOf(await logIn(person)));
  network = networkOf(body.sessions.find(({ current }: { current: boolean }) => current).ip);
});
beforeEach(() => transact([remove(failedLoginsOfNetwork(network).item)]));

const logIn = ({ email }: Pick<Person, 'email'>, password = testPassword) =>
  api.post('/auth/login', { email, password });
const logInCode = async (...given: Parameters<typeof logIn>) => codeOf(await logIn(...given));

async function regular(): Promise<Person> {
  const person = await seedPerson();
  expect(await logInCode(person)).toBe('200 ok');
  return person;
}

/** Strangers use up the network's failed log-ins. */
async function crowd(): Promise<void> {
  const counter = failedLoginsOfNetwork(network);
  await transact([put(counter.item, { tries: counter.bound, expiresAt: nowSeconds() + 900 })]);
}

describe('a network whose failed log-ins strangers have used up', () => {
  it('lets in accounts whose password was given there before, and no others', async () => {
    const [person, newcomer] = [await regular(), await seedPerson()];
    await crowd();

    expect(await logInCode(person)).toBe('200 ok');
    for (const other of [newcomer, { email: `${randomUUID()}@example.com` }]) {
      expect(await logInCode(other)).toBe('429 rate_limited');
    }
  });

  it('still limits wrong passwords of such an account, with the same answer as for others', async () => {
    const person = await regular();
    await crowd();

    for (const password of [...Array(3).fill('not the right one'), testPassword]) {
      expect(await logInCode(person, password)).toBe('429 rate_limited');
    }
  });

  it('no longer knows an account after 90 days', async () => {
    const person = await regular();
    const item = at(userRecord, person.user.id);
    const [id = ''] = Object.keys((await find(item))?.logInNetworks ?? {});
    const longAgo = new Date(Date.now() - 91 * 86_400_000).toISOString();
    await transact([update(item, { set: { logInNetworks: { [id]: longAgo } } })]);
    await crowd();

    expect(await logInCode(person)).toBe('429 rate_limited');
  });
});

it('the networks of an account are recorded once a month, without the address, and at most ten', async () => {
  const person = await seedPerson();
  const item = at(userRecord, person.user.id);
  const older = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`n${n}`, `2026-01-0${n}T00:00:00.000Z`]));
  await transact([update(item, { set: { logInNetworks: older } })]);

  expect(await logInCode(person)).toBe('200 ok');
  const networks = (await find(item))?.logInNetworks ?? {};
  expect(await logInCode(person)).toBe('200 ok');

  expect(Object.keys(networks)).toHaveLength(10);
  expect(networks).not.toHaveProperty('n0');
  expect(JSON.stringify(networks)).not.toContain(network);
  expect((await find(item))?.logInNetworks).toEqual(networks);
});
