import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { type Api, codeOf, startApi } from '../support/api.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { seedSession } from '../support/people.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/sign-in/open-id-provider.ts';
import { redirectUriOf } from '../support/sign-in/sign-in.ts';
import { everyVerdict } from './every-verdict.ts';
import { buildProviderWorld } from './provider-world.ts';
import type { World } from './world.ts';

/*
 * The same callers with the same verdicts as in `authorization.test.ts`, in an organization that requires its provider,
 * with sessions that came through it and tokens made with them.
 */

let api: Api;
let names: NameServer;
let provider: OpenIdProvider;
let world: World;

beforeAll(async () => {
  names = await startNameServer();
  // Without workers, so that nothing changes the data between two requests. The suite takes longer than ten minutes on
  // a slow machine, and its sessions have to stay fresh.
  api = await startApi({ DNS_SERVERS: names.address, STEP_UP_FRESH_SECONDS: '7200' }, name =>
    name.area === 'workers' && name.name !== 'make-outbound-requests'
      ? Promise.resolve(() => ({ batchItemFailures: [] }))
      : loadFromFunctions(name),
  );
  provider = await startOpenIdProvider({ redirectUri: redirectUriOf(api), accounts: {}, alwaysAuthTime: true });
  world = await buildProviderWorld(api, names, provider);
});
afterAll(async () => {
  await api?.stop();
  await Promise.all([provider?.stop(), names?.stop()]);
});

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
