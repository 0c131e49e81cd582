import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { AllowedNetworks, describedNetworks, maximumNetworks } from '../fields/allowed-networks.ts';
import { uniqueList } from '../fields/bodies.ts';
import { managers } from '../fields/role.ts';
import { access } from './sign-in-settings.ts';

/** The operation checks the notation together with what the network means (`network-problems.ts`). */
const Network = z.string().toLowerCase().meta({ example: '198.51.100.0/24' });

const Networks = uniqueList(Network, 1, maximumNetworks).nullable();

const answer = z.object({ networks: AllowedNetworks });
const networksExample = { networks: { people: null } };

export const getAllowedNetworks = contract({
  operationId: 'get-allowed-networks',
  route: 'GET /v1/orgs/{orgId}/networks',
  summary: 'Get the allowed networks',
  description: 'Returns the networks from which the organization accepts requests, and the address of this one.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  responses: ok({
    description: 'The networks.',
    body: z.object({
      ...answer.shape,
      ownAddress: z.string().meta({ description: 'The address that this request came from.', example: '198.51.100.7' }),
    }),
    example: networksExample,
  }),
  uses: { table: {} },
});

export const setAllowedNetworks = contract({
  operationId: 'set-allowed-networks',
  route: 'PUT /v1/orgs/{orgId}/networks',
  summary: 'Set the allowed networks',
  description:
    'Limits the networks from which the organization accepts requests of people, of machines, or both; others get 403 ' +
    '`network_not_allowed`. Takes effect with the next request. The list for people must contain the address that this ' +
    'request comes from. If nobody can reach the organization any more, a platform administrator can remove both lists.',
  access,
  body: z.strictObject({
    people: Networks.describe(describedNetworks.people),
    machines: Networks.describe(describedNetworks.machines),
  }),
  bodyExample: { people: null, machines: ['198.51.100.0/24', '2001:db8:12::/48'] },
  responses: ok({ description: 'The networks.', body: answer, example: networksExample }),
  uses: { table: { GetItem: ['ORG'], PutItem: ['AUDIT'], UpdateItem: ['ORG'] } },
});
