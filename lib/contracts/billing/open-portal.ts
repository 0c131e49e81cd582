import { contract, ok } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { HostedPage } from './start-checkout.ts';

export const openPortal = contract({
  operationId: 'open-portal',
  route: 'POST /v1/billing/{orgId}/portal',
  summary: 'Open the customer portal',
  description:
    'Creates a session in the payment provider’s customer portal, where the subscription can be changed or ' +
    'cancelled, and returns its URL. Creates the customer if there is none. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: ok({ description: 'The portal’s URL.', body: HostedPage }),
  errors: ['billing_provider_error', 'billing_not_configured'],
  uses: { table: ['GetItem'], writes: ['ORG', 'CUSTOMER', 'AUDIT'], payments: true },
});
