import * as z from 'zod';
import { hasFreshRights, type Role } from './role.ts';
import { maximumProjectRoles } from './role-in-project.ts';
import { ProjectId } from './text.ts';

export const projectRoles = ['admin', 'developer', 'viewer'] as const;
export const ProjectRole = z.enum(projectRoles).meta({ description: 'A role in one project.', example: 'developer' });
export type ProjectRole = z.infer<typeof ProjectRole>;

const described = {
  limited: 'Whether only the projects in `projectRoles` exist for them.',
  projectRoles: 'Their role in single projects, where it counts instead of `role`.',
};

const Listed = z.object({ projectId: ProjectId.describe('Project identifier.'), role: ProjectRole });

const Shown = Listed.extend({ slug: z.string().meta({ description: 'Project slug.', example: 'web-shop' }) });

/** What a response shows of a membership or an invitation. */
export const shownRights = {
  limited: z.boolean().meta({ description: described.limited, example: false }),
  projectRoles: z.array(Shown).meta({ description: described.projectRoles, example: [] }),
};

const byRules = (what: string) =>
  z.boolean().meta({
    description: `Whether ${what} comes from the sign-in provider’s rules or its default role, not from a person.`,
    example: false,
  });

/** The same of a member, with where each role comes from. */
export const shownMemberRights = {
  byRules: byRules('`role`'),
  ...shownRights,
  projectRoles: z
    .array(Shown.extend({ byRules: byRules('the role in the project') }))
    .meta({ description: described.projectRoles, example: [] }),
};

/** What a request gives. Each project once, because two roles in one project would contradict each other. */
export const givenRights = {
  limited: z.boolean().describe(described.limited),
  projectRoles: z
    .array(z.strictObject(Listed.shape))
    .max(maximumProjectRoles)
    .refine(listed => new Set(listed.map(({ projectId }) => projectId)).size === listed.length, {
      message: 'must name each project once',
    })
    .describe(described.projectRoles),
};

export const limitedRolesOnly = 'is only possible for developers and viewers';

export const projectRolesExample = [
  { projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73', slug: 'web-shop', role: 'admin', byRules: false },
] as const;

/** `hasFreshRights` of all roles, including those in projects. */
export function givesFreshRights({
  role,
  projectRoles: listed = [],
}: {
  role: Role;
  projectRoles?: readonly { role: Role }[] | undefined;
}) {
  return [role, ...listed.map(one => one.role)].some(hasFreshRights);
}

const CompleteRights = z.object({
  role: ProjectRole,
  limited: z.boolean(),
  projectRoles: z.array(z.object({ projectId: z.string(), slug: z.string(), role: ProjectRole })),
});

/** Rights that a person gave, and what they became with what the provider's rules add (`apply-role-rules.ts`). */
export const AddedByRules = z.object({ given: CompleteRights, made: CompleteRights });
