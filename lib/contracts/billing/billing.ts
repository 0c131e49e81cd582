import * as z from 'zod';
import { contract, ok, succeeds } from '../contract.ts';
import {
  BillingStatus,
  BoughtPlan,
  boughtPlans,
  exampleLimits,
  Plan,
  PlanLimits,
  PlanName,
  planNames,
  Usage,
} from '../fields/limits.ts';
import { managers, roles } from '../fields/role.ts';
import { Timestamp } from '../fields/text.ts';

export const getBilling = contract({
  operationId: 'get-billing',
  route: 'GET /v1/billing/{orgId}',
  summary: 'Get billing status and usage',
  description:
    'Returns the plan, the subscription’s status, the limits in force, the usage, every plan’s limits and which are for sale.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'organization' },
  responses: ok({
    description: 'Billing status, limits and usage.',
    body: z.object({
      plan: PlanName.describe('The plan in force.'),
      status: BillingStatus,
      limits: PlanLimits.describe('The limits in force.'),
      usage: Usage,
      plans: z.array(Plan).describe('The limits of each plan, smallest first.'),
      forSale: z.array(BoughtPlan).describe('The plans that can be bought. None without a payment provider.'),
      currentPeriodEnd: Timestamp.nullable().describe('End of the paid period; null if there is none.'),
    }),
    example: {
      limits: exampleLimits('pro'),
      plans: planNames.map(name => ({ name, limits: exampleLimits(name) })),
      forSale: boughtPlans,
      currentPeriodEnd: '2026-02-28T09:26:53.000Z',
    },
  }),
  uses: { table: { GetItem: ['PLANS'], BatchGetItem: ['ENV'], Query: ['ORG'] } },
});

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
  description: 'Returns the URL of a checkout at the payment provider. The plan changes once it reports the payment.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  body: z.strictObject({ plan: BoughtPlan }),
  bodyExample: { plan: 'pro' },
  responses: ok({ description: 'The checkout’s URL.', body: HostedPage }),
  errors: ['billing_provider_error', 'billing_not_configured'],
  uses: { table: { GetItem: ['ORG'], PutItem: ['AUDIT', 'CUSTOMER'], UpdateItem: ['ORG'] }, payments: true },
});

export const openPortal = contract({
  operationId: 'open-portal',
  route: 'POST /v1/billing/{orgId}/portal',
  summary: 'Open the customer portal',
  description:
    'Returns a URL of the payment provider’s portal, where the subscription can be changed or cancelled. Creates the ' +
    'customer if there is none.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  responses: ok({ description: 'The portal’s URL.', body: HostedPage }),
  errors: ['billing_provider_error', 'billing_not_configured'],
  uses: { table: { GetItem: ['ORG'], PutItem: ['AUDIT', 'CUSTOMER'], UpdateItem: ['ORG'] }, payments: true },
});

export const receiveProviderEvent = contract({
  operationId: 'receive-provider-event',
  route: 'POST /v1/billing/webhook',
  summary: 'Receive the payment provider’s webhook',
  description:
    'Only for the payment provider. The signature over the raw body is verified before anything else. Each event is ' +
    'applied once. An event older than the known state of its subscription changes nothing.',
  access: { kind: 'public' },
  headers: z.object({
    'stripe-signature': z.string().optional().meta({
      description: 'The provider’s signature over the raw body. If it is invalid, the response is `invalid_signature`.',
      example: 't=1769851613,v1=EXAMPLE',
    }),
  }),
  rawBody: true,
  responses: succeeds('The event was received.'),
  errors: ['invalid_signature', 'billing_not_configured'],
  uses: {
    table: {
      BatchGetItem: ['CUSTOMER', 'ORG', 'ORGID', 'PLANS', 'PROVIDEREVENT'],
      PutItem: ['AUDIT', 'CUSTOMER', 'PROVIDEREVENT'],
      UpdateItem: ['ORG'],
      DeleteItem: ['CUSTOMER'],
    },
    payments: true,
  },
});
