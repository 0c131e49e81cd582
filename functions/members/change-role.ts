import { endpoint } from '../../lib/http/endpoint.ts';
import { changeRole } from '../../lib/members/change-role.ts';
import { changeRole as contract } from '../../lib/members/contracts.ts';
import { memberView } from '../../lib/members/member-view.ts';
import { readRoster } from '../../lib/members/read-roster.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readRoster(params.orgId),
  run: async ({ access, source, params, body, fetched }) => {
    const member = await changeRole(access, source, { memberId: params.id, role: body.role }, fetched);
    return { status: 200, body: { member: memberView(member) } };
  },
});
