import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '#lib/contracts/routes.ts';
import { createToken, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { ask, buildService, past, type Request, requestsOf, type Service } from '#test/support/two-services.ts';

/* Who may write but not read production learns nothing about its values. */

/** Every route whose response depends on who may read or write an environment. */
const routesOfSecrets = routes.filter(({ access }) => access.kind === 'member' && access.environmentRule !== undefined);
const paths = { env: ['production'], key: ['DATABASE_HOST', 'GONE', 'NEVER'] };

const api = shared(() => startApi({ LOG_LEVEL: 'SILENT', REQUESTS_PER_MINUTE: '-1' }));
let services: [Service, Service];

async function build(values: Record<string, string>[]): Promise<Service> {
  const service = await buildService(api, { production: values });
  const { place, callers } = service;
  const developer = await place.member('developer');
  const { id: organizationId } = place.owner.organization;
  const limits = { organizationId, projectId: place.project.id, environmentId: place.environmentId('production') };
  callers.developer = developer.session;
  callers['developer: token for production'] = await createToken(api, developer, { ...limits, access: 'write' });
  return service;
}

beforeAll(async () => {
  services = [await build(past.guessed), await build(past.unguessed)];
});

const bothOf = (caller: string, request: Request) => ask(api, services, caller, request);

describe('two services that differ only in the values of production', () => {
  it.each(['developer', 'developer: token for production'])('look the same to the %s', async caller => {
    const answered = new Set<number>();
    for (const request of routesOfSecrets.flatMap(contract => requestsOf(contract, paths))) {
      const [guessed, unguessed] = await bothOf(caller, request);
      answered.add(JSON.parse(guessed)[0]);
      expect({ request, answer: unguessed }).toEqual({ request, answer: guessed });
    }
    expect([...answered]).toEqual(expect.arrayContaining([200, 403, 404, 412]));
  });

  it('look different to the owner on every route that returns or compares values', async () => {
    const same: string[] = [];
    for (const contract of routesOfSecrets) {
      // Without changes, because revisions would distinguish the services.
      const requests = requestsOf(contract, paths).filter(
        ({ method, query }) => method === 'GET' || query.dryRun === 'true',
      );
      let isToldApart = requests.length === 0;
      for (const request of requests) {
        if (isToldApart) break;
        const [guessed, unguessed] = await bothOf('owner', request);
        isToldApart = guessed !== unguessed;
      }
      if (!isToldApart) same.push(contract.operationId);
    }
    const named = ['list-keys', 'list-revisions', 'bulk-delete-secrets', 'delete-secret', 'list-proposals'];
    // The requests know no proposal's id.
    expect(same).toEqual([...named, 'get-proposal']);
  });
});
