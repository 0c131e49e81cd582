import type { MemberContext } from '../../access/request-context.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { find } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { ProjectKeys } from '../../table/records/project.ts';
import type { ProposalRecord } from '../../table/records/proposal.ts';
import { readEnvironment } from '../engine/read-environment.ts';
import { closeExpired } from './close-proposal.ts';
import { type People, readPeople } from './people.ts';
import { proposalAt, proposalNotFound } from './stored-proposal.ts';

export interface ProposalReads {
  path: EnvironmentPath;
  proposal: ProposalRecord | undefined;
  people: People;
  project: ProjectKeys | undefined;
  state: EnvironmentState | undefined;
}

/** Two round trips, the first in parallel with authentication. */
export async function readProposal(path: EnvironmentPath, id: string): Promise<ProposalReads> {
  const [proposal, { project, state }] = await Promise.all([find(proposalAt(path, id)), readEnvironment(path)]);
  return { path, proposal, people: await readPeopleOf(path, proposal), project, state };
}

export async function readPeopleOf(
  { orgSlug }: EnvironmentPath,
  proposal: ProposalRecord | undefined,
): Promise<People> {
  return proposal === undefined ? new Map() : readPeople(orgSlug, [proposal]);
}

/**
 * The proposal, for callers who may write to its environment. Closes it if it has expired.
 * @throws project_not_found, environment_not_found, forbidden, proposal_not_found
 */
export async function requireProposal(context: MemberContext, reads: ProposalReads) {
  const { access } = context;
  const project = access.requireProject(reads.project);
  const state = access.requireEnvironment(reads.state, 'write');
  const { path, proposal, people } = reads;
  if (proposal?.environmentId !== state.id) throw proposalNotFound();
  await closeExpired(context, { path, project, state }, [proposal]);
  return { path, project, state, proposal, people };
}
