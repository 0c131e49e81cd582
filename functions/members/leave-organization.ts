import { endpoint } from '#lib/api/endpoint.ts';
import { leaveOrganization as contract } from '#lib/contracts/members/members.ts';
import { leaveOrganization } from '#lib/organizations/members/change-members.ts';

export const handler = endpoint(contract, {
  run: ({ context }) => leaveOrganization(context),
});
