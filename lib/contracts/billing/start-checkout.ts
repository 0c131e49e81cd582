import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { BoughtPlan } from '../fields/limits.ts';
import { managers } from '../fields/role.ts';

export const HostedPage = z.object({
  url: z.string().meta({
    description: 'The URL to redirect the browser to. It is valid for a limited time.',
    example: 'https://pay.example.com/session',
  }),
});

export const startCheckout = contract({
  operationId: 'start-checkout',
  route: 'POST /v1/billing/{orgId}/checkout',
  summary: 'Start a hosted checkout',
  description:
    'Creates a checkout session with the payment provider and returns its URL. The plan changes once the ' +
    'provider reports the payment. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  body: z.strictObject({ plan: BoughtPlan }),
  bodyExample: { plan: 'pro' },
  responses: ok({ description: 'The checkout’s URL.', body: HostedPage }),
  errors: ['billing_provider_error', 'billing_not_configured'],
  uses: { table: ['GetItem'], writes: ['ORG', 'CUSTOMER', 'AUDIT'], payments: true },
});
