import * as z from 'zod';
import { ClaimValue, claimName } from './identity-rules.ts';
import { limitedRolesOnly, ProjectRole } from './project-role.ts';
import { hasFreshRights } from './role.ts';
import { ProjectId } from './text.ts';

export const maximumRoleRules = 50;

/** The claim that most providers list groups in. */
const usualClaim = 'groups';

const described = {
  claim: 'The claim of the id token, or a JSON pointer (RFC 6901) to a nested one.',
  value: 'The value that the claim must have, or contain if it is a list.',
  role: 'The role in the organization that the rule gives.',
  limited: 'Whether only projects with a role in them exist for the member. For developers and viewers.',
  projectId: 'The project that `projectRole` is in.',
  projectRole: 'The role in that project.',
};

const ruleShape = {
  claim: z.string().regex(claimName).default(usualClaim).meta({ description: described.claim, example: usualClaim }),
  value: ClaimValue.meta({ description: described.value, example: 'platform-team' }),
  role: ProjectRole.optional().meta({ description: described.role, example: 'developer' }),
  limited: z.boolean().optional().describe(described.limited),
  projectId: ProjectId.optional().describe(described.projectId),
  projectRole: ProjectRole.optional().meta({ description: described.projectRole, example: 'admin' }),
};

/** What a claim of the provider gives. No rule gives the role of an owner. */
export const RoleRule = z
  .object(ruleShape)
  .meta({ id: 'RoleRule', description: 'What somebody gets whose id token has a value.' });
export type RoleRule = z.infer<typeof RoleRule>;

/** Rules as a request sets them. What contradicts itself is rejected, because it would give more than was meant. */
export const RoleRules = z
  .array(
    z
      .strictObject(ruleShape)
      .refine(({ projectId, projectRole }) => (projectId === undefined) === (projectRole === undefined), {
        path: ['projectRole'],
        message: 'is required with projectId, and only possible with it',
      })
      .refine(({ role, projectRole }) => role !== undefined || projectRole !== undefined, {
        path: ['role'],
        message: 'is required unless the rule gives a role in a project',
      })
      .refine(({ role, limited }) => limited !== true || (role !== undefined && !hasFreshRights(role)), {
        path: ['limited'],
        message: limitedRolesOnly,
      }),
  )
  .max(maximumRoleRules);

export const recheckDaysBounds = { minimum: 1, maximum: 90 } as const;
