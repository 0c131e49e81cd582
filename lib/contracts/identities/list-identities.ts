import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { example, Identity } from './identity.ts';

export const listIdentities = contract({
  operationId: 'list-identities',
  route: 'GET /v1/identities/{orgId}',
  summary: 'List identities',
  description: 'Lists the organization’s identities. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  responses: ok({
    description: 'The identities.',
    body: z.object({ identities: z.array(Identity).meta({ description: 'The identities, oldest first.' }) }),
    example: { identities: [example] },
  }),
  uses: { table: ['Query'] },
});
