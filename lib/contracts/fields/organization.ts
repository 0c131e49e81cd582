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

/** An organization as a member sees it. What it pays for is no concern of those who are limited to projects. */
export const MemberOrganization = z
  .object({
    ...Organization.shape,
    plan: Organization.shape.plan.optional(),
    limitOverrides: Organization.shape.limitOverrides.optional(),
  })
  .meta({
    id: 'MemberOrganization',
    description: 'An organization. A limited member doesn’t see its plan and limits.',
  });
export type MemberOrganization = z.infer<typeof MemberOrganization>;

/** The organization as the member may see it. Pure. */
export function seenBy<O extends Organization>({ limited }: { limited?: boolean | undefined }, organization: O) {
  return limited === true ? { ...organization, plan: undefined, limitOverrides: undefined } : organization;
}
