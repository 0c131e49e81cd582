import { beforeAll, describe, expect, it } from 'vitest';
import { type CheckAccount, checkService, readCheckAccount } from '#lib/metrics/service-check.ts';
import { createProject, startApi, useSettings } from '#test/support/api.ts';
import { checkAccountOf, serveParameter } from '#test/support/check-account.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';

let account: CheckAccount;
const api = shared(startApi);
beforeAll(async () => {
  const person = await seedPerson();
  account = { ...checkAccountOf(api, person), project: (await createProject(api, person)).slug };
});

describe('the service check', () => {
  it('logs in, sets a secret, pulls it and logs out, and returns the duration of each step', async () => {
    expect(Object.keys(await checkService(account))).toEqual(['log-in', 'set', 'pull', 'log-out']);
  });

  it('only reads under maintenance, when a check that sets would fail', async () => {
    useSettings({ MAINTENANCE: 'true' });
    await expect(checkService(account)).rejects.toThrow(/^set failed with 503/);
    expect(Object.keys(await checkService(account, { isReadOnly: true }))).toEqual(['log-in', 'pull', 'log-out']);
  });

  it('calls the gateway as the edge does, if a firewall would stop it at the public address', async () => {
    useSettings({ EDGE_SECRETS: 'new,old' });
    const { origin: gatewayOrigin } = new URL(account.url);
    await expect(checkService(account)).rejects.toThrow(/^log-in failed with 404/);
    const steps = await checkService({ ...account, url: 'https://secrets.example.com/v1' }, { gatewayOrigin });
    expect(Object.keys(steps)).toEqual(['log-in', 'set', 'pull', 'log-out']);
  });

  it('is not disturbed by a concurrent one', async () => {
    await expect(Promise.all([checkService(account), checkService(account)])).resolves.toHaveLength(2);
  });

  it.each([
    ['a wrong password', { password: 'not this one' }, /^log-in failed with 401, request \S+\.$/],
    ['a project that is not there', { project: 'gone' }, /^set failed with 404, request \S+\.$/],
    ['an address where nothing answers', { url: 'http://127.0.0.1:9/v1' }, /^log-in got no response \(TypeError\)\.$/],
  ])('fails with the step but not its secrets: %s', async (_, changes, message) => {
    await expect(checkService({ ...account, ...changes })).rejects.toThrow(message);
  });

  it('reports which parameter contains no account, but not its content', async () => {
    const parameters = await serveParameter({ ...account, url: 'secrets.example.com' });
    await expect(readCheckAccount('/holdfast/check').finally(parameters.stop)).rejects.toThrow(
      /^The parameter \/holdfast\/check does not contain the account that checks the service\.$/,
    );
  });
});
