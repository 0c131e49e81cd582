import { useEffect } from 'preact/hooks';
import type { Environment } from '../../../../../lib/contracts/projects/environment.ts';
import { call } from '../../api.ts';
import { navigate } from '../../router.ts';
import { ShowValues, useValues } from '../../secrets/shown.tsx';
import { Await } from '../../ui/await.tsx';
import { count } from '../../ui/count.ts';
import { Empty } from '../../ui/empty.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { roleMay } from './environment.tsx';
import '../../ui/figures.css';
import '../../ui/key-lines.css';
import './compare.css';

export function Compare({ organization, project, parameters }: ProjectProps) {
  const base = `/organizations/${organization.slug}/projects/${project.slug}`;
  const readable = project.environments.filter(({ type }) => roleMay('read', organization.role, type));
  const a = readable.find(({ slug }) => slug === parameters.a);
  const b = readable.find(({ slug }) => slug === parameters.b);
  const [first, second] = readable;
  const unnamed = parameters.a === undefined;
  useEffect(() => {
    if (unnamed && first !== undefined && second !== undefined)
      navigate(`${base}/compare/${first.slug}/${second.slug}`, { replace: true });
  }, [unnamed]);
  const loaded = useValues(`${a?.id} ${b?.id}`, async (values, signal) =>
    a === undefined || b === undefined || a === b
      ? undefined
      : call('GET /v1/secrets/{orgSlug}/{project}/{env}/compare', {
          params: { orgSlug: organization.slug, project: project.slug, env: a.slug },
          query: { with: b.slug, values },
          signal,
        }),
  );
  if (a === undefined || b === undefined)
    return (
      <Page title={`Compare · ${project.slug}`} heading="Compare">
        <Empty title="You need to read two environments to compare them." />
      </Page>
    );
  const options = readable.map(({ slug }) => [slug, slug] as const);
  return (
    <Page
      title={`Compare · ${project.slug}`}
      heading="Compare"
      lead="Comparing reads both environments, and the audit log records it."
    >
      <div class="filters">
        <Select
          label="This"
          value={a.slug}
          options={options}
          onChange={slug => navigate(`${base}/compare/${slug}/${b.slug}`)}
        />
        <Select
          label="With"
          value={b.slug}
          options={options}
          onChange={slug => navigate(`${base}/compare/${a.slug}/${slug}`)}
        />
      </div>
      {a !== b && <ShowValues of={loaded} />}
      {a === b ? (
        <Empty title="Choose two environments." />
      ) : (
        <Await of={loaded.of} rows={8}>
          {found =>
            found === undefined ? null : (
              <>
                <p class="figure">
                  <EnvironmentMark type={a.type} name={`${a.slug} at ${found.from.revision}`} />
                  <EnvironmentMark type={b.type} name={`${b.slug} at ${found.to.revision}`} />
                </p>
                <Group
                  title={`Only in ${a.slug}`}
                  keys={found.onlyFrom.map(({ key, from }) => ({ key, values: [[a, from]] }))}
                />
                <Group
                  title={`Only in ${b.slug}`}
                  keys={found.onlyTo.map(({ key, to }) => ({ key, values: [[b, to]] }))}
                />
                <Group
                  title="Different"
                  keys={found.different.map(({ key, from, to }) => ({
                    key,
                    values: [
                      [a, from],
                      [b, to],
                    ],
                  }))}
                />
                <Group title="The same" keys={found.same.map(key => ({ key, values: [] }))} />
              </>
            )
          }
        </Await>
      )}
    </Page>
  );
}

/** Keys with the values that the environments hold, where these are shown. */
function Group({
  title,
  keys,
}: {
  title: string;
  keys: readonly { key: string; values: readonly (readonly [Environment, string | undefined])[] }[];
}) {
  if (keys.length === 0) return null;
  return (
    <section>
      <h2>
        {title} <span class="quiet">{count(keys.length, 'key')}</span>
      </h2>
      <ul class="keys-list">
        {keys.map(({ key, values }) => (
          <li key={key}>
            <span class="mono key">{key}</span>
            {values.some(([, value]) => value !== undefined) && (
              <dl class="sides">
                {values.map(([environment, value]) => (
                  <div key={environment.id}>
                    <dt>
                      <EnvironmentMark type={environment.type} name={environment.slug} />
                    </dt>
                    <dd class="mono">{value === '' ? <i>empty</i> : value}</dd>
                  </div>
                ))}
              </dl>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
