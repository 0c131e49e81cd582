import { endpoint } from '#lib/api/endpoint.ts';
import { setProjectRoles as contract } from '#lib/contracts/members/project-roles.ts';
import { readBeforeSettingRoles, setProjectRoles } from '#lib/organizations/members/set-project-roles.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, body }) => readBeforeSettingRoles(params.orgId, body),
  run: async ({ context, params, body, fetched }) => ({
    body: { member: await setProjectRoles(context, { memberId: params.id, given: body }, fetched) },
  }),
});
