import { environmentRules } from 'virtual:contracts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useEffect } from 'preact/hooks';
import { call } from '../api.ts';
import { useLoad } from '../load.ts';
import { pathname } from '../router.ts';

/**
 * How many proposals are open, by environment: in those that require approvals and that the user may write to. Loaded
 * again with each page of the project.
 */
export function useOpenProposals({ slug: orgSlug, role }: OwnOrganization, project: Project | undefined) {
  const environments = (project?.environments ?? []).filter(
    ({ approvals, type }) => approvals > 0 && environmentRules.write[role].includes(type),
  );
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
