import { endpoint } from '../../lib/api/endpoint.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';
import { removeMember as contract } from '../../lib/contracts/members/remove-member.ts';
import { readRoster } from '../../lib/organizations/members/read-roster.ts';
import { removeMember } from '../../lib/organizations/members/remove-member.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readRoster(params.orgId),
  run: async ({ context, params, fetched }) => {
    await removeMember(context, params.id, fetched);
    return { status: 200, body: succeeded };
  },
});
