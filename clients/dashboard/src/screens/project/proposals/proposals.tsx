import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { type Answer, call } from '../../../api.ts';
import { useAction, useLoad } from '../../../load.ts';
import type { Place } from '../../../secrets/place.ts';
import { othersApprove } from '../../../secrets/waits-for-approval.tsx';
import { Await } from '../../../ui/await.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { EnvironmentMark } from '../../../ui/environment-mark.tsx';
import type { ProjectProps } from '../../../ui/in-project.tsx';
import { Page, Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { ForWriters } from './for-writers.tsx';
import { ProposalEntry } from './proposal-entry.tsx';

type Listed = Answer<'GET /v1/secrets/{orgSlug}/{project}/{env}/proposals'>;

export function Proposals(props: ProjectProps) {
  return (
    <ForWriters {...props}>
      {environment => <Lists key={environment.id} {...props} environment={environment} />}
    </ForWriters>
  );
}

/** The proposals of an environment: first those to decide about, then what became of the others. */
function Lists({ organization, project, environment }: ProjectProps & { environment: Environment }) {
  const place = { orgSlug: organization.slug, project: project.slug, env: environment.slug };
  const { approvals, slug } = environment;
  const open = useLoad(environment.id, signal =>
    call('GET /v1/secrets/{orgSlug}/{project}/{env}/proposals', {
      params: { ...place },
      query: { state: 'open' },
      signal,
    }),
  );
  return (
    <div class={`railed ${environment.type}`}>
      <Page
        title={`Proposals · ${slug} · ${project.slug}`}
        heading={
          <>
            Proposals for <EnvironmentMark type={environment.type} name={environment.name} />
          </>
        }
        lead={
          <>
            {approvals === 0
              ? `${slug} needs no approvals: changes apply at once. `
              : `A change of ${slug} is proposed, and applied once ${othersApprove(approvals)}. `}
            <a href={`/organizations/${organization.slug}/projects/${project.slug}/environments/${slug}`}>
              Back to its secrets
            </a>
          </>
        }
      >
        <Await of={open}>
          {({ proposals }) =>
            proposals.length === 0 ? (
              <Empty title="Nothing waits for approval.">
                {approvals > 0 && <p>Stage changes in {slug} and review them: then you can propose them.</p>}
              </Empty>
            ) : (
              <Entries place={place} proposals={proposals} />
            )
          }
        </Await>
        <Closed place={place} environmentId={environment.id} />
      </Page>
    </div>
  );
}

function Entries({ place, proposals }: { place: Place; proposals: Listed['proposals'] }) {
  return (
    <ol class="journal">
      {proposals.map(proposal => (
        <ProposalEntry key={proposal.id} place={place} proposal={proposal} />
      ))}
    </ol>
  );
}

function Closed({ place, environmentId }: { place: Place; environmentId: string }) {
  const page = (before?: string, signal?: AbortSignal): Promise<Listed> =>
    call('GET /v1/secrets/{orgSlug}/{project}/{env}/proposals', {
      params: { ...place },
      query: { before, limit: 20 },
      ...(signal === undefined ? {} : { signal }),
    });
  const loaded = useLoad(environmentId, signal => page(undefined, signal));
  const older = useAction(async (before: string) => {
    const { proposals, next } = await page(before);
    loaded.set({ proposals: [...(loaded.data?.proposals ?? []), ...proposals], next });
  });
  const closed = loaded.data?.proposals.filter(({ state }) => state !== 'open') ?? [];
  if (closed.length === 0 && loaded.error === undefined && !loaded.data?.next) return null;
  return (
    <Section title="Closed">
      <Await of={loaded}>
        {({ next }) => (
          <>
            <Entries place={place} proposals={closed} />
            <Problem error={older.error} />
            {next !== null && (
              <Button busy={older.busy} onClick={() => void older.run(next)}>
                Older
              </Button>
            )}
          </>
        )}
      </Await>
    </Section>
  );
}
