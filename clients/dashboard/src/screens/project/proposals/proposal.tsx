import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { type Answer, Refusal } from '../../../api.ts';
import { ChangedValues } from '../../../secrets/changed-values.tsx';
import { NamesOthers } from '../../../secrets/names-others.tsx';
import { linesOf, Proof, type ProofLine } from '../../../secrets/proof.tsx';
import { type Proposal, proposalsPath } from '../../../secrets/propose.ts';
import { ShowValues } from '../../../secrets/shown.tsx';
import { Await } from '../../../ui/await.tsx';
import { EnvironmentMark } from '../../../ui/environment-mark.tsx';
import { Facts } from '../../../ui/facts.tsx';
import type { ProjectProps } from '../../../ui/in-project.tsx';
import { NothingHere } from '../../../ui/nothing-here.tsx';
import { Page } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import { Decide } from './decide.tsx';
import { ForWriters } from './for-writers.tsx';
import { headline } from './proposal-entry.tsx';
import { Standing } from './standing.tsx';
import { TemplateProblems } from './template-problems.tsx';
import { useProposal } from './use-proposal.ts';

type Found = Answer<'GET /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}'>;

export function ProposalScreen(props: ProjectProps) {
  return (
    <ForWriters {...props}>
      {(environment, { read }) => (
        <Approval key={props.parameters.id} {...props} environment={environment} readable={read} />
      )}
    </ForWriters>
  );
}

/** A proposal as its approvers see it, laid out like a review. An approval is of exactly what is shown. */
function Approval({
  organization,
  project,
  environment,
  readable,
  parameters,
  reload,
}: ProjectProps & { environment: Environment; readable: boolean }) {
  const place = { orgSlug: organization.slug, project: project.slug, env: environment.slug };
  const { loaded, surprise, decisions } = useProposal({ place, id: parameters.id ?? '', reload });
  const { error, data } = loaded.of;
  const list = proposalsPath(place);
  const isMissing = error instanceof Refusal && ['proposal_not_found', 'invalid_request'].includes(error.code);
  if (isMissing && data === undefined)
    return (
      <NothingHere
        reason={`${environment.slug} has no such proposal. Closed proposals are kept for about three months.`}
        back={[`All proposals of ${environment.slug}`, list]}
      />
    );
  return (
    <div class={`railed ${environment.type}`}>
      <Page
        title={`Proposal · ${environment.slug} · ${project.slug}`}
        heading={
          <>
            Proposal for <EnvironmentMark type={environment.type} name={environment.name} />
          </>
        }
        lead={<a href={list}>All proposals of {environment.slug}</a>}
      >
        <Await of={loaded.of} rows={8}>
          {found => (
            <>
              <Standing {...found} {...{ place, surprise }} />
              <TemplateProblems
                proposal={found.proposal}
                template={`/organizations/${organization.slug}/projects/${project.slug}/template`}
              />
              <About proposal={found.proposal} />
              <Proof {...revisionsOf(found.proposal)} lines={linesWith(found)} />
              {found.proposal.state === 'open' && (
                <>
                  {readable ? (
                    <ShowValues of={loaded} />
                  ) : (
                    <p class="quiet">You can’t read {environment.slug}, so its values can’t be shown.</p>
                  )}
                  <Decide {...found} {...{ environment, decisions }} />
                </>
              )}
            </>
          )}
        </Await>
      </Page>
    </div>
  );
}

function revisionsOf({ baseRevision, revision }: Proposal) {
  return revision === undefined ? { from: baseRevision, to: undefined } : { from: revision - 1, to: revision };
}

function linesWith({ proposal, stale, values = [] }: Found): ProofLine[] {
  const shown = new Map(values.map(value => [value.key, value]));
  const changed = new Set(stale);
  const names = new Set(proposal.expand);
  return linesOf(proposal).map(line => ({
    ...line,
    note: (
      <>
        {names.has(line.key) && <NamesOthers />}
        {changed.has(line.key) && <span class="emptied">changed since it was proposed</span>}
        <ChangedValues {...shown.get(line.key)} />
      </>
    ),
  }));
}

function About({ proposal }: { proposal: Proposal }) {
  const { createdBy, createdAt, baseRevision, message, approvals, state, expiresAt } = proposal;
  return (
    <Facts
      facts={[
        ['Proposed', headline(proposal)],
        [
          'By',
          <>
            {createdBy.email}, <Time at={createdAt} />, on revision {baseRevision}
          </>,
        ],
        ['Reason', message === null ? 'none given' : `“${message}”`],
        [
          'Approved by',
          approvals.length === 0 ? (
            `nobody${state === 'open' ? ' yet' : ''}`
          ) : (
            <ul>
              {approvals.map(({ id, email, at }) => (
                <li key={id}>
                  {email}, <Time at={at} />
                </li>
              ))}
            </ul>
          ),
        ],
        ...(state === 'open' ? [['Expires', <Time at={expiresAt} />] as const] : []),
      ]}
    />
  );
}
