import * as z from 'zod';
import { LimitOverrides, PlanName } from './limits.ts';
import { OrganizationId, Slug, Timestamp } from './text.ts';

export const Organization = z
  .object({
    id: OrganizationId.describe('Organization identifier.'),
    slug: Slug.meta({ description: 'Unique on the platform. It never changes.', example: 'analytical-engines' }),
    name: z.string().meta({ description: 'Display name.', example: 'Analytical Engines' }),
    plan: PlanName.meta({ description: 'The plan in force.', example: 'free' }),
    limitOverrides: LimitOverrides.describe('Limits for this organization only; empty if there are none.'),
    requireSecondFactor: z
      .boolean()
      .describe('Whether sessions and tokens must have been created with a second factor.'),
    createdAt: Timestamp.describe('When it was created.'),
  })
  .meta({ id: 'Organization', description: 'A tenant: it owns projects, members, webhooks and an audit log.' });
export type Organization = z.infer<typeof Organization>;
