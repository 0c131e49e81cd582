import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { roleMay } from '../../secrets/rights.ts';
import { Await } from '../../ui/await.tsx';
import { count } from '../../ui/count.ts';
import { Empty } from '../../ui/empty.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { ScrollArea } from '../../ui/scroll-area.tsx';
import './project.css';

/** The maximum number of keys in the matrix. An environment's own page shows all of its keys. */
const shownKeys = 500;

interface KeysOf {
  environment: Environment;
  versions: ReadonlyMap<string, number>;
}

/** Shows which environment has which key, for the environments that the role can read. */
export function KeyMatrix({ organization, project }: Pick<ProjectProps, 'organization' | 'project'>) {
  const loaded = useLoad(
    `${project.id} ${project.environments.map(({ id, revision }) => `${id} ${revision}`)}`,
    signal =>
      Promise.all(
        project.environments
          .filter(({ type }) => roleMay('read', organization.role, type))
          .map(async (environment): Promise<KeysOf> => {
            const { keys } = await call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', {
              params: { orgSlug: organization.slug, project: project.slug, env: environment.slug },
              signal,
            });
            return { environment, versions: new Map(keys.map(({ key, version }) => [key, version])) };
          }),
      ),
  );
  return (
    <Await of={loaded} rows={8}>
      {lists => {
        const keys = [...new Set(lists.flatMap(({ versions }) => [...versions.keys()]))].toSorted();
        if (keys.length === 0) return <Empty title="No secrets yet.">Choose an environment to add some.</Empty>;
        return (
          <ScrollArea class="matrix-frame" label="Keys by environment">
            <Matrix keys={keys.slice(0, shownKeys)} lists={lists} />
            {keys.length > shownKeys && (
              <p class="quiet">
                And {count(keys.length - shownKeys, 'more key')}. Open an environment to see all its keys.
              </p>
            )}
          </ScrollArea>
        );
      }}
    </Await>
  );
}

function Matrix({ keys, lists }: { keys: readonly string[]; lists: readonly KeysOf[] }) {
  return (
    <table class="matrix">
      <caption class="visually-hidden">Which environment has which key</caption>
      <thead>
        <tr>
          <th scope="col">Key</th>
          {lists.map(({ environment }) => (
            <th key={environment.id} scope="col">
              <EnvironmentMark type={environment.type} name={environment.slug} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {keys.map(key => (
          <tr key={key}>
            <th scope="row" class="mono key">
              {key}
            </th>
            {lists.map(({ environment, versions }) => (
              <td key={environment.id}>
                {versions.has(key) ? (
                  <span class="mono">v{versions.get(key)}</span>
                ) : (
                  <span class="missing">missing</span>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
