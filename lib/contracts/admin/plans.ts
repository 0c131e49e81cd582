import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { LimitValue, Plan, perLimit } from '../fields/limits.ts';
import { limitsExample } from './organizations.ts';

export const listPlans = contract({
  operationId: 'list-plans',
  route: 'GET /v1/admin/plans',
  summary: 'List all plans',
  description: 'Lists every plan with its current default limits.',
  access: { kind: 'admin' },
  responses: ok({
    description: 'The plans.',
    body: z.object({ plans: z.array(Plan).describe('The plans, smallest first.') }),
    example: { plans: [{ limits: limitsExample }] },
  }),
  uses: { table: { GetItem: ['PLANS'] } },
});

export const updatePlan = contract({
  operationId: 'update-plan',
  route: 'PUT /v1/admin/plans/{planName}',
  summary: 'Update a plan’s default limits',
  description: 'Sets limits of a plan, for every organization on it without an override. Other limits stay.',
  access: { kind: 'admin', fresh: 'always' },
  body: z.strictObject({
    limits: z
      .strictObject(perLimit(LimitValue.optional()))
      .refine(limits => Object.keys(limits).length > 0, { message: 'must name at least one limit' })
      .meta({ description: 'The limits to set; -1 = unlimited.', minProperties: 1 }),
  }),
  bodyExample: { limits: { maxMembers: 150 } },
  responses: ok({
    description: 'The plan after the change.',
    body: z.object({ plan: Plan }),
    example: { plan: { limits: limitsExample } },
  }),
  uses: { table: { GetItem: ['PLANS'], PutItem: ['PLANS'] } },
});
