import { endpoint } from '#lib/api/endpoint.ts';
import { changeRole as contract } from '#lib/contracts/members/members.ts';
import { changeRole } from '#lib/organizations/members/change-members.ts';
import { viewMember } from '#lib/organizations/members/project-roles.ts';
import { readRoster } from '#lib/organizations/members/read-roster.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readRoster(params.orgId),
  run: async ({ context, params, body, fetched }) => {
    const member = await changeRole(context, { memberId: params.id, role: body.role }, fetched);
    return { body: { member: await viewMember(context.organization.slug, member) } };
  },
});
