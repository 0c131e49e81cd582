import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Plan } from '../fields/limits.ts';
import { limitsExample } from './examples.ts';

export const listPlans = contract({
  operationId: 'list-plans',
  route: 'GET /v1/admin/plans',
  summary: 'List all plans',
  description: 'Lists every plan with its current default limits.',
  access: { kind: 'admin' },
  responses: ok({
    description: 'The plans.',
    body: z.object({ plans: z.array(Plan).meta({ description: 'The plans, smallest first.' }) }),
    example: { plans: [{ limits: limitsExample }] },
  }),
  uses: { table: ['GetItem'], reads: ['PLANS'] },
});
