import * as z from 'zod';
import { contract } from './contract.ts';
import { BillingStatus } from './fields/billing-status.ts';
import { PlanLimits, PlanName, planNames, Usage } from './fields/limits.ts';
import { roles } from './fields/role.ts';
import { Success } from './fields/success.ts';
import { Timestamp } from './fields/text.ts';

const area = 'billing';

export const boughtPlans = planNames.filter(name => name !== 'free');
export const BoughtPlan = z.enum(boughtPlans).meta({ description: 'The plan to buy.', example: 'pro' });
export type BoughtPlan = z.infer<typeof BoughtPlan>;

const HostedPage = z.object({
  url: z.string().meta({
    description: 'The address to send the browser to. It works for a limited time.',
    example: 'https://pay.example.com/session',
  }),
});

export const getBilling = /* @__PURE__ */ contract({
  operationId: 'get-billing',
  area,
  method: 'GET',
  path: '/v1/billing/{orgId}',
  summary: 'Billing status and usage',
  description: 'Returns the plan, the state of the subscription, the limits in force and the usage. For every member.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'organization' },
  responses: {
    200: {
      description: 'Billing status, limits and usage.',
      body: z.object({
        plan: PlanName.meta({ description: 'The plan in force.' }),
        status: BillingStatus,
        limits: PlanLimits.meta({ description: 'The limits in force.' }),
        usage: Usage,
        currentPeriodEnd: Timestamp.nullable().meta({ description: 'End of the paid period; null if there is none.' }),
      }),
      example: {
        plan: 'pro',
        status: 'active',
        limits: {
          maxProjects: 100,
          maxEnvironmentsPerProject: 25,
          maxSecretsPerEnvironment: 2000,
          maxMembers: 100,
          maxWebhooks: 50,
          auditRetentionDays: 365,
        },
        usage: { projects: 4, members: 7, invitations: 1, webhooks: 2, environments: 13, secrets: 412 },
        currentPeriodEnd: '2026-02-28T09:26:53.000Z',
      },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'], reads: ['ENV', 'PLANS'] },
});

export const startCheckout = /* @__PURE__ */ contract({
  operationId: 'start-checkout',
  area,
  method: 'POST',
  path: '/v1/billing/{orgId}/checkout',
  summary: 'Start a hosted checkout',
  description:
    'Creates a checkout session at the payment provider and returns its address. The plan changes when the provider ' +
    'reports the payment. For owners and admins.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'organization' },
  body: z.strictObject({ plan: BoughtPlan }),
  bodyExample: { plan: 'pro' },
  responses: {
    200: {
      description: 'The checkout’s address.',
      body: HostedPage,
      example: { url: 'https://pay.example.com/session' },
    },
  },
  errors: ['billing_provider_error', 'billing_not_configured'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
    writes: ['ORG', 'CUSTOMER', 'AUDIT'],
    payments: true,
  },
});

export const openPortal = /* @__PURE__ */ contract({
  operationId: 'open-portal',
  area,
  method: 'POST',
  path: '/v1/billing/{orgId}/portal',
  summary: 'Open the customer portal',
  description:
    'Creates a session of the payment provider’s customer portal, where the subscription can be changed or cancelled, ' +
    'and returns its address. Creates the customer if there is none. For owners and admins.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'organization' },
  responses: {
    200: {
      description: 'The portal’s address.',
      body: HostedPage,
      example: { url: 'https://pay.example.com/session' },
    },
  },
  errors: ['billing_provider_error', 'billing_not_configured'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
    writes: ['ORG', 'CUSTOMER', 'AUDIT'],
    payments: true,
  },
});

export const receiveProviderEvent = /* @__PURE__ */ contract({
  operationId: 'receive-provider-event',
  area,
  method: 'POST',
  path: '/v1/billing/webhook',
  summary: 'Receive the payment provider’s webhook',
  description:
    'For the payment provider only. The signature over the raw body is verified before anything else. Each event is ' +
    'applied once, and an event older than the known state of its subscription changes nothing.',
  access: { kind: 'public' },
  headers: z.object({
    'stripe-signature': z.string().optional().meta({
      description: 'The provider’s signature over the raw body. Without a valid one the answer is `invalid_signature`.',
      example: 't=1769851613,v1=EXAMPLE',
    }),
  }),
  rawBody: true,
  responses: { 200: { description: 'The event was received.', body: Success, example: { success: true } } },
  errors: ['invalid_signature', 'billing_not_configured'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['ORG', 'ORGID', 'CUSTOMER', 'PROVIDEREVENT'],
    writes: ['ORG', 'CUSTOMER', 'PROVIDEREVENT', 'AUDIT'],
    payments: true,
  },
});
