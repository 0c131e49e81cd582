import { endpoint } from '../../lib/http/endpoint.ts';
import { succeeded } from '../../lib/http/success.ts';
import { removeMember as contract } from '../../lib/members/contracts.ts';
import { readRoster } from '../../lib/members/read-roster.ts';
import { removeMember } from '../../lib/members/remove-member.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readRoster(params.orgId),
  run: async ({ access, source, params, fetched }) => {
    await removeMember(access, source, params.id, fetched);
    return { status: 200, body: succeeded };
  },
});
