import { endpoint } from '../../lib/api/endpoint.ts';
import { changeRole as contract } from '../../lib/contracts/members.ts';
import { changeRole } from '../../lib/organizations/members/change-role.ts';
import { memberView } from '../../lib/organizations/members/member-view.ts';
import { readRoster } from '../../lib/organizations/members/read-roster.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readRoster(params.orgId),
  run: async ({ access, source, params, body, fetched }) => {
    const member = await changeRole(access, source, { memberId: params.id, role: body.role }, fetched);
    return { status: 200, body: { member: memberView(member) } };
  },
});
