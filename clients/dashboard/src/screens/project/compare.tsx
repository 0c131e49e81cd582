import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { navigate } from '../../router.ts';
import { ShowValues, useValues } from '../../secrets/shown.tsx';
import { Await } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import { EmptyPage } from '../../ui/empty-page.tsx';
import { roleMay } from '../../ui/environment-rights.ts';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Differences, type KeysToPromote } from './differences.tsx';
import { PromoteDialog } from './promote-dialog.tsx';

export function Compare({ organization, project, parameters, reload }: ProjectProps) {
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
  const title = `Compare · ${project.slug}`;
  if (a === undefined || b === undefined)
    return (
      <EmptyPage title={title} heading="Compare" reason="You need read access to two environments to compare them." />
    );
  const options = readable.map(({ slug }) => [slug, slug] as const);
  return (
    <Page title={title} heading="Compare" lead="Comparing reads both environments, which the audit log records.">
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
      {a === b ? (
        <Empty title="Choose two environments." />
      ) : (
        <Comparison {...{ organization, project, reload, a, b }} />
      )}
    </Page>
  );
}

interface ComparisonProps extends Pick<ProjectProps, 'organization' | 'project' | 'reload'> {
  a: Environment;
  b: Environment;
}

function Comparison({ organization, project, reload, a, b }: ComparisonProps) {
  const [promoting, setPromoting] = useState<KeysToPromote>();
  const compared = useValues(`${a.id} ${b.id}`, (values, signal) =>
    call('GET /v1/secrets/{orgSlug}/{project}/{env}/compare', {
      params: { orgSlug: organization.slug, project: project.slug, env: a.slug },
      query: { with: b.slug, values },
      signal,
    }),
  );
  return (
    <>
      <ShowValues of={compared} />
      <Await of={compared.of} rows={8}>
        {found => (
          <Differences
            {...{ a, b, found }}
            isWritable={({ type }) => roleMay('write', organization.role, type)}
            onPromote={setPromoting}
          />
        )}
      </Await>
      {promoting !== undefined && (
        <PromoteDialog
          {...{ organization, project }}
          {...promoting}
          onClose={() => setPromoting(undefined)}
          reload={async () => {
            compared.show(false);
            await Promise.all([compared.of.reload(), reload()]);
          }}
        />
      )}
    </>
  );
}
