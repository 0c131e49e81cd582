import { expect, it } from 'vitest';
import { codeOf, useApi } from '../support/api.ts';
import { shared } from '../support/fixtures.ts';
import { sharedNameServer } from '../support/name-server.ts';
import { seedSession } from '../support/people.ts';
import { startOpenIdProvider } from '../support/sign-in/open-id-provider.ts';
import { redirectUriOf } from '../support/sign-in/sign-in.ts';
import { everyVerdict, startWithoutWorkers } from './every-verdict.ts';
import { buildProviderWorld } from './provider-world.ts';

/* `authorization.test.ts` in an organization that requires its provider, with sessions and tokens made through it. */

const api = useApi(() => startWithoutWorkers(['make-outbound-requests']));
const names = shared(sharedNameServer);
const provider = shared(() =>
  startOpenIdProvider({ redirectUri: redirectUriOf(api), accounts: {}, alwaysAuthTime: true }),
);
const world = shared(() => buildProviderWorld(api, names, provider));

it('the sessions came through the provider, and the password’s way is shut', async () => {
  const { callers, own } = world;
  for (const role of ['owner', 'admin', 'developer', 'viewer']) {
    for (const name of [`${role}: session`, `${role}: full token`]) {
      const { body } = await api.call('GET', '/auth/me', { headers: { ...callers[name] } });
      expect(body.authentication.provider, name).toMatchObject({ organizationId: own.organization.id });
    }
  }
  const { body } = await api.call('GET', '/auth/me', { headers: { ...callers['developer: session'] } });
  const password = await seedSession(body);
  expect(codeOf(await api.get(`/projects/${own.organization.id}`, password))).toBe('403 provider_required');
  await world.restore();
});

everyVerdict(() => ({ api, world }), {
  // An administrator has a factor of their own here, because a provider alone makes nobody one.
  'POST /auth/recovery-codes': { 'platform admin: session': 'ok' },
});
