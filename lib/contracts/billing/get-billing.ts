import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { BillingStatus, defaultLimits, Plan, PlanLimits, PlanName, planNames, Usage } from '../fields/limits.ts';
import { roles } from '../fields/role.ts';
import { Timestamp } from '../fields/text.ts';

export const getBilling = contract({
  operationId: 'get-billing',
  route: 'GET /v1/billing/{orgId}',
  summary: 'Get billing status and usage',
  description:
    'Returns the plan, the subscription’s status, the limits in force, the usage, and the limits of every plan. ' +
    'Available to all members.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'organization' },
  responses: ok({
    description: 'Billing status, limits and usage.',
    body: z.object({
      plan: PlanName.meta({ description: 'The plan in force.' }),
      status: BillingStatus,
      limits: PlanLimits.meta({ description: 'The limits in force.' }),
      usage: Usage,
      plans: z.array(Plan).meta({ description: 'The limits of each plan, smallest first.' }),
      currentPeriodEnd: Timestamp.nullable().meta({ description: 'End of the paid period; null if there is none.' }),
    }),
    example: {
      limits: defaultLimits.pro,
      plans: planNames.map(name => ({ name, limits: defaultLimits[name] })),
      currentPeriodEnd: '2026-02-28T09:26:53.000Z',
    },
  }),
  uses: { table: ['GetItem', 'Query'], reads: ['ENV', 'PLANS'] },
});
