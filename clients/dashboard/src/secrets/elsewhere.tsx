import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { call } from '../api.ts';
import { useLoad } from '../load.ts';
import { Await } from '../ui/await.tsx';
import { EnvironmentMark } from '../ui/environment-mark.tsx';
import { roleMay } from '../ui/environment-rights.ts';
import { secretPath } from '../ui/leaked.tsx';
import { Time } from '../ui/time.tsx';
import type { Place } from './place.ts';
import '../ui/key-lines.css';

interface ElsewhereProps {
  place: Place;
  environments: readonly Environment[];
  role: Role;
  name: string;
}

/** Which other environments have the key. Listing keys reads no value. */
export function Elsewhere({ place, environments, role, name }: ElsewhereProps) {
  const others = environments.filter(({ slug }) => slug !== place.env);
  const loaded = useLoad(`${name} ${others.map(({ id }) => id)}`, signal =>
    Promise.all(
      others.map(async environment => {
        if (!roleMay('read', role, environment.type)) return { environment, isReadable: false };
        const { keys } = await call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', {
          params: { ...place, env: environment.slug },
          query: { search: name },
          signal,
        });
        return { environment, isReadable: true, entry: keys.find(({ key }) => key === name) };
      }),
    ),
  );
  if (others.length === 0) return null;
  return (
    <section>
      <h3>In other environments</h3>
      <Await of={loaded} rows={others.length}>
        {found => (
          <ul class="keys-list">
            {found.map(({ environment, isReadable, entry }) => (
              <li key={environment.id}>
                <EnvironmentMark type={environment.type} name={environment.slug} />
                {entry !== undefined ? (
                  <span class="quiet">
                    <a href={secretPath(place.orgSlug, place.project, environment.slug, name)}>
                      version {entry.version}
                    </a>
                    , <Time at={entry.updatedAt} />
                  </span>
                ) : (
                  <span class="quiet">{isReadable ? 'missing' : `As a ${role}, you can’t read it.`}</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </Await>
    </section>
  );
}
