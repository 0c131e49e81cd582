import { call } from '../../api.ts';
import { organizationBySlug, session } from '../../session.ts';
import { suggestAccess } from './suggest-access.ts';
import type { TokenChoice } from './token-fields.tsx';

export interface Asked {
  choice: TokenChoice;
  /** What it asked for that this user doesn't have. */
  missing?: string;
  /** Why it suggests this access. */
  why?: string;
}

/**
 * Resolves the requested slugs to ids. A slug that can't be resolved is an error, so that the token never gets wider.
 */
export async function resolveLimits(query: URLSearchParams): Promise<Asked> {
  const organizations = session.value?.organizations ?? [];
  const countProjects = async () => {
    const answer = await call('GET /v1/projects/{orgId}', { params: { orgId: organizations[0]?.id ?? '' } });
    return answer.projects.length;
  };
  const roles = organizations.map(({ role }) => role);
  const { access, isFirst } = await suggestAccess(query.get('access'), roles, countProjects);
  const asked = await limitsOf(query, access);
  if (!isFirst) return asked;
  // It must not extend to organizations that the user joins later.
  const organizationId = asked.choice.organizationId || (organizations[0]?.id ?? '');
  return {
    ...asked,
    choice: { ...asked.choice, organizationId },
    why: 'You have no project yet, and creating the first one needs this access. You can choose less.',
  };
}

async function limitsOf(query: URLSearchParams, access: TokenChoice['access']): Promise<Asked> {
  const choice: TokenChoice = {
    access,
    organizationId: session.value?.confinedTo?.id ?? '',
    projectId: '',
    environmentId: '',
    expiresInDays: /^\d{1,3}$/.test(query.get('expiresInDays') ?? '') ? (query.get('expiresInDays') ?? '') : '90',
  };
  const [organizationSlug, projectSlug, environmentSlug] = ['organization', 'project', 'environment'].map(name =>
    query.get(name),
  );
  if (!organizationSlug) {
    return projectSlug || environmentSlug ? { choice, missing: 'a project without its organization' } : { choice };
  }
  const organization = organizationBySlug(organizationSlug);
  if (organization === undefined) return { choice, missing: `the organization ${organizationSlug}` };
  choice.organizationId = organization.id;
  if (!projectSlug) return environmentSlug ? { choice, missing: 'an environment without its project' } : { choice };
  const { projects } = await call('GET /v1/projects/{orgId}', { params: { orgId: organization.id } });
  const project = projects.find(({ slug }) => slug === projectSlug);
  if (project === undefined) return { choice, missing: `the project ${projectSlug}` };
  choice.projectId = project.id;
  if (!environmentSlug) return { choice };
  const environment = project.environments.find(({ slug }) => slug === environmentSlug);
  if (environment === undefined) return { choice, missing: `the environment ${environmentSlug}` };
  choice.environmentId = environment.id;
  return { choice };
}
