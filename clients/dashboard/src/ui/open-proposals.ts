import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useEffect } from 'preact/hooks';
import { call } from '../api.ts';
import { useLoad } from '../load.ts';
import { pathname } from '../router.ts';
import { rightsOfRole } from './environment-rights.ts';

/**
 * How many proposals are open, by environment: in those that require approvals and that the user's role may write to.
 * Loaded again with each page of the project.
 */
export function useOpenProposals(organization: OwnOrganization, project: Project | undefined) {
  const { slug: orgSlug } = organization;
  const environments =
    project?.environments.filter(
      environment => environment.approvals > 0 && rightsOfRole(organization, project, environment).write,
    ) ?? [];
  const loaded = useLoad(environments.map(({ id }) => id).join(' '), async signal => {
    const lists = await Promise.all(
      environments.map(({ slug: env }) =>
        call('GET /v1/secrets/{orgSlug}/{project}/{env}/proposals', {
          params: { orgSlug, project: project?.slug ?? '', env },
          query: { state: 'open' },
          signal,
        }),
      ),
    );
    return new Map(lists.map(({ proposals }, index) => [environments[index]?.id, proposals.length]));
  });
  const path = pathname();
  useEffect(() => {
    if (loaded.data !== undefined) void loaded.reload();
  }, [path]);
  return { countOf: (environmentId: string) => loaded.data?.get(environmentId) ?? 0, reload: loaded.reload };
}
