import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useRef } from 'preact/hooks';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { user } from '../../session.ts';
import { atMost } from '../../ui/at-most.ts';
import { roleMay } from '../../ui/environment-rights.ts';
import type { ProjectProps } from '../../ui/in-project.tsx';
import type { Column } from './grid-cells.ts';

type KeyList = Omit<Column, 'compared'>;

/**
 * The keys of all environments that the role can read, without values. With a reference, each other environment is
 * compared with it: one audited read of both, which is repeated only if one of them has a new revision.
 */
export function useGrid(
  { organization, project }: Pick<ProjectProps, 'organization' | 'project'>,
  reference: Environment | undefined,
) {
  const params = { orgSlug: organization.slug, project: project.slug };
  const readable = project.environments.filter(({ type }) => roleMay('read', organization.role, type));
  const loaded = useLoad(`${project.id} ${readable.map(({ id }) => id)}`, async signal => {
    const [template, lists] = await Promise.all([
      call('GET /v1/templates/{orgSlug}/{project}', { params, signal }),
      Promise.all(
        readable.map(async (environment): Promise<KeyList> => {
          const { keys, revision } = await call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', {
            params: { ...params, env: environment.slug },
            signal,
          });
          return { environment, listed: keys, keys: new Set(keys.map(({ key }) => key)), revision };
        }),
      ),
    ]);
    return {
      lists,
      template: new Map(template.keys.map(described => [described.key, described])),
      required: new Set(template.keys.filter(({ required }) => required).map(({ key }) => key)),
    };
  });
  const lists = loaded.data?.lists ?? [];
  const compared = useRef(new Map<string, NonNullable<Column['compared']>>());
  const base = lists.find(({ environment }) => environment.id === reference?.id);
  const pairOf = (other: KeyList) =>
    [user.value?.id, base?.environment.id, base?.revision, other.environment.id, other.revision].join(' ');
  const others = base === undefined ? [] : lists.filter(list => list !== base);
  const comparing = useLoad(others.map(pairOf).join(), async signal => {
    const missing = others.filter(other => !compared.current.has(pairOf(other)));
    await atMost(3, missing, signal, async other => {
      const { same, different } = await call('GET /v1/secrets/{orgSlug}/{project}/{env}/compare', {
        params: { ...params, env: base?.environment.slug ?? '' },
        query: { with: other.environment.slug },
        signal,
      });
      const sets = { same: new Set(same), different: new Set(different.map(({ key }) => key)) };
      compared.current.set(pairOf(other), sets);
    });
    return true;
  });
  const columns = lists.map(
    (list): Column => ({
      ...list,
      compared: others.includes(list) ? compared.current.get(pairOf(list)) : undefined,
    }),
  );
  return { loaded, columns, comparing, readable };
}
