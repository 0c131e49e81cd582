import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Success } from '../fields/bodies.ts';
import { flagQuery } from '../fields/query.ts';
import { managers } from '../fields/role.ts';
import { IdentityId, WebhookId } from '../fields/text.ts';

export const removeMember = contract({
  operationId: 'remove-member',
  route: 'DELETE /v1/members/{orgId}/{id}',
  summary: 'Remove a member or cancel an invitation',
  description:
    'Removes the member with this identifier and permanently revokes their tokens limited to the organization, or ' +
    'cancels the invitation with this identifier. Owners and admins only. An admin can’t remove an owner, and ' +
    'the last owner can’t be removed. Identities and webhooks that the member created keep working; the ' +
    'response lists them. A fresh session is required to remove an owner or admin other than yourself, to ' +
    'cancel an invitation to one of these roles, and to end identities.',
  // If the role has fresh rights, and to end identities.
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'by-content' },
  query: z.strictObject({
    endIdentities: flagQuery('Whether to end the identities that the member created as well.').default(false),
  }),
  responses: ok({
    description: 'The member or invitation was removed.',
    body: Success.extend({
      left: z
        .object({
          identities: z
            .array(
              z.object({
                id: IdentityId.meta({ description: 'Identity identifier.' }),
                name: z.string().meta({ description: 'The identity’s name.', example: 'web-shop deploy' }),
              }),
            )
            .meta({ description: 'Identities. Empty if they were ended.' }),
          webhooks: z
            .array(
              z.object({
                id: WebhookId.meta({ description: 'Webhook identifier.' }),
                url: z.string().meta({
                  description: 'The URL that it delivers to.',
                  example: 'https://hooks.example.com/holdfast',
                }),
              }),
            )
            .meta({ description: 'Webhooks.' }),
        })
        .meta({ description: 'What the member created that keeps working. Empty for an invitation.' }),
    }),
  }),
  errors: ['last_owner'],
  uses: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'DeleteItem', 'ConditionCheckItem', 'BatchWriteItem'],
    reads: ['ORGID', 'USER'],
    writes: ['ORG', 'INVITATION', 'AUDIT'],
  },
});
