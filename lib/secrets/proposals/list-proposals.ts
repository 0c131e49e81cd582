import type { MemberContext } from '../../access/request-context.ts';
import type { QueryOf } from '../../contracts/contract.ts';
import type {
  getProposal as getContract,
  listProposals as listContract,
  Proposal,
} from '../../contracts/secrets/proposals.ts';
import { type EnvironmentPath, ranges } from '../../table/keys.ts';
import { find, ofKind, queryPage, readAll } from '../../table/read.ts';
import { type ProposalRecord, proposalRecord } from '../../table/records/proposal.ts';
import { putAlone } from '../../table/write.ts';
import { byKey, headsOfKeys } from '../change/read-target.ts';
import { keyRing } from '../engine/key-ring.ts';
import { readEnvironment } from '../engine/read-environment.ts';
import { readVersions } from '../engine/read-snapshot.ts';
import { requireFitting, secretSizeBytes } from '../engine/secret-size.ts';
import { readAgainWhileStale } from '../engine/stale-read.ts';
import { staleAmong } from './apply-proposal.ts';
import { closeExpired, proposalClosed, proposalFacts, requireOpen } from './close-proposal.ts';
import { readPeople } from './people.ts';
import { type ProposalReads, readPeopleOf, requireProposal } from './read-proposal.ts';
import { findOpen } from './store-proposal.ts';
import { isOpen, keysOf, openValues, proposalAt, shownUpdates } from './stored-proposal.ts';
import { proposalView } from './view-proposal.ts';

type ListQuery = QueryOf<typeof listContract>;

/** For the keys' names in one response. */
const maximumBytes = 3_000_000;
/** No id sorts after it. */
const afterAllIds = '~';

/** One or two round trips, in parallel with authentication. */
export async function beginList(path: EnvironmentPath, query: ListQuery) {
  const [environment, page] = await Promise.all([readEnvironment(path), readPage(path, query)]);
  return { path, ...environment, page };
}

async function readPage(path: EnvironmentPath, { state, limit, before }: ListQuery) {
  if (state === 'open') return undefined;
  const range = { ...ranges.proposals(path, before ?? afterAllIds), newestFirst: true, pageSize: limit + 1 };
  const { items, next } = await queryPage(range);
  const found = ofKind(proposalRecord, items).filter(({ id }) => id !== before);
  const isLast = next === undefined && found.length <= limit;
  return { found: found.slice(0, limit), isLast };
}

/** A page of the proposals of an environment, newest first. */
export async function listProposals(
  context: MemberContext,
  query: ListQuery,
  { path, project: readProject, state: readState, page }: Awaited<ReturnType<typeof beginList>>,
): Promise<{ proposals: Proposal[]; next: string | null }> {
  const project = context.access.requireProject(readProject);
  const state = context.access.requireEnvironment(readState, 'write');
  const { found, isLast } = page ?? (await openPage(path, state.id, query));
  const own = found.filter(({ environmentId }) => environmentId === state.id);
  await closeExpired(context, { path, project, state }, own);
  const people = await readPeople(path.orgSlug, own);
  const proposals: Proposal[] = [];
  let bytes = 0;
  for (const record of own) {
    const proposal = proposalView(context.access, record, state, people);
    bytes += JSON.stringify(proposal).length;
    if (bytes > maximumBytes) return { proposals, next: proposals.at(-1)?.id ?? null };
    if (query.state === undefined || proposal.state === query.state) proposals.push(proposal);
  }
  return { proposals, next: isLast ? null : (found.at(-1)?.id ?? null) };
}

/** All open proposals are listed in one item, so that closed ones don't hide them. */
async function openPage(path: EnvironmentPath, environmentId: string, { limit, before }: ListQuery) {
  const { open } = await findOpen(path, environmentId);
  const found = open.filter(({ id }) => before === undefined || id < before).toReversed();
  return { found: found.slice(0, limit), isLast: found.length <= limit };
}

type ReadForReview = Awaited<ReturnType<typeof beginGet>>;

/** Two round trips, the first in parallel with authentication. The heads, or tombstones, of an open proposal's keys. */
export async function beginGet(path: EnvironmentPath, id: string) {
  const [proposal, environment] = await Promise.all([find(proposalAt(path, id)), readEnvironment(path)]);
  const isShown = proposal !== undefined && isOpen(proposal);
  const [people, heads] = await Promise.all([
    readPeopleOf(path, proposal),
    readAll(isShown ? headsOfKeys(path, keysOf(proposal)) : []),
  ]);
  return { path, proposal, people, heads: byKey(heads), project: environment.project, state: environment.state };
}

/**
 * A proposal, with the keys that prevent applying it, and its values if asked for.
 * @throws proposal_not_found; for values also forbidden, proposal_closed, payload_too_large
 */
export async function getProposal(
  context: MemberContext,
  id: string,
  { values }: QueryOf<typeof getContract>,
  begun: ReadForReview,
) {
  return readAgainWhileStale(context.log, begun.path, async tries => {
    const reads = tries === 0 ? begun : await beginGet(begun.path, id);
    context.access.requireValues(values);
    const { state, proposal, people } = await requireProposal(context, reads);
    const shown = new Set([...keysOf({ ...proposal, updated: [] }), ...shownUpdates(context.access, proposal)]);
    const moved = isOpen(proposal) ? staleAmong(proposal, key => reads.heads.get(key)?.version) : [];
    const stale = moved.filter(key => shown.has(key));
    const answer = { proposal: proposalView(context.access, proposal, state, people), stale };
    return values ? { ...answer, values: await readValues(context, reads, proposal) } : answer;
  });
}

/** Reading is audited before the values leave the service. */
async function readValues(context: MemberContext, reads: ProposalReads, proposal: ProposalRecord) {
  const { access, organization } = context;
  const project = access.requireProject(reads.project);
  const state = access.requireEnvironment(reads.state, 'read');
  requireOpen(proposal);
  const { path } = reads;
  const ring = keyRing(organization.id, project);
  const bases = [...proposal.created, ...proposal.updated, ...proposal.deleted];
  const earlier = bases.filter(([, version]) => version > 0).map(([key, version]) => ({ key, version }));
  const [proposed, versions] = await Promise.all([openValues(path, proposal, ring), readVersions(path, earlier)]);
  if (proposed === undefined) throw proposalClosed(proposal);
  const valued = versions.filter(({ deleted, sealed }) => deleted === undefined && sealed !== undefined);
  requireFitting([
    ...valued,
    ...[...proposed.values].map(([key, value]) => ({ sizeBytes: secretSizeBytes(key, value) })),
  ]);
  const opened = await Promise.all(
    valued.map(async version => [version.key, await ring.open(state.id, version)] as const),
  );
  const before = new Map(opened);
  const { details, ...facts } = proposalFacts('proposal.read', { project, state }, proposal);
  const { from, restored } = proposal;
  const origin = { ...(from && { from }), details: { ...details, ...(restored !== undefined && { restored }) } };
  await putAlone(await context.audit({ ...facts, ...origin }));
  const deleted = new Set(proposal.deleted.map(([key]) => key));
  return bases
    .map(([key]) => ({ key, before: before.get(key), after: deleted.has(key) ? undefined : proposed.values.get(key) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
