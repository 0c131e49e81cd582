import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { EffectiveLimits, LimitValue, PlanName, perLimit } from '../fields/limits.ts';
import { Organization } from '../fields/organization.ts';
import { effectiveExample, organizationExample } from './examples.ts';

const OverrideValue = LimitValue.nullable().optional();

export const updateOrganization = contract({
  operationId: 'update-organization',
  route: 'PATCH /v1/admin/orgs/{orgId}',
  summary: 'Update an organization’s plan and limit overrides',
  description:
    'Changes the plan, the overrides or both. Overrides that are not given stay as they are; null removes one. ' +
    'A downgrade deletes nothing; it only prevents further growth.',
  access: { kind: 'admin', fresh: 'always' },
  body: z
    .strictObject({
      plan: PlanName.optional().meta({ description: 'The new plan.' }),
      limitOverrides: z
        .strictObject(perLimit(OverrideValue))
        .optional()
        .meta({ description: 'Limits for this organization only; -1 = unlimited, null removes the override.' }),
    })
    .refine(body => Object.keys(body).length > 0, { message: 'must have plan, limitOverrides or both' })
    .meta({ minProperties: 1 }),
  bodyExample: { plan: 'pro', limitOverrides: { maxMembers: 150, maxProjects: null } },
  responses: ok({
    description: 'The organization and its current limits.',
    body: z.object({ organization: Organization, limits: EffectiveLimits }),
    example: { organization: organizationExample, limits: effectiveExample },
  }),
  uses: { table: ['GetItem'], reads: ['ORG', 'ORGID', 'PLANS'], writes: ['ORG', 'AUDIT'] },
});
