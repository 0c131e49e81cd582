import type { MemberContext } from '../../access/request-context.ts';
import { hasFreshRights } from '../../contracts/fields/role.ts';
import type { ProposalBody } from '../../contracts/secrets/proposal-body.ts';
import type { CheckedProposal } from '../../contracts/secrets/proposals.ts';
import { ApiError, invalidRequest } from '../../core/errors.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import type { ProposalRecord } from '../../table/records/proposal.ts';
import type { ChangeOptions } from '../change/change-request.ts';
import { beginChange } from '../change/read-target.ts';
import { beginPromotion, promoteSecrets } from '../promote-secrets.ts';
import { beginRestoration, restoreSecrets } from '../restore-secrets.ts';
import { applyChanges, areGenerated } from '../set-and-delete-secrets.ts';
import { proposedValues, storeProposal } from './store-proposal.ts';
import { knownProblems, readTemplate } from './template-problems.ts';
import { proposalView } from './view-proposal.ts';

/*
 * Proposing runs the request that would make the change as a dry run, which decides what to set and delete, and checks
 * the caller's rights and the limits. Then it stores the decision instead of writing it.
 */

const asDryRun = { ifMatch: undefined, dryRun: true } as const;

/** Starts the reads of the request that would make the change, and of the template. */
export async function beginProposal(path: EnvironmentPath, body: ProposalBody) {
  const [begun, template] = await Promise.all([beginChangeOf(path, body), readTemplate(path)]);
  return { ...begun, template };
}

async function beginChangeOf(path: EnvironmentPath, body: ProposalBody): Promise<BegunChange> {
  if ('promote' in body) {
    return { promotion: await beginPromotion(path, { ...body.promote, to: path.env, ...asDryRun }) };
  }
  if ('restore' in body) return { restoration: await beginRestoration(path, { ...body.restore, ...asDryRun }) };
  const keys = [...body.changes.set.map(({ key }) => key), ...body.changes.delete];
  return { change: await beginChange(path, keys, asDryRun) };
}

type Begun = Awaited<ReturnType<typeof beginProposal>>;

/** One of them. */
interface BegunChange {
  promotion?: Awaited<ReturnType<typeof beginPromotion>>;
  restoration?: Awaited<ReturnType<typeof beginRestoration>>;
  change?: Awaited<ReturnType<typeof beginChange>>;
}

type Proposing = ProposalBody & Pick<ChangeOptions, 'ifMatch'>;

/**
 * Stores a change as a proposal.
 * @throws invalid_request if it would change nothing; forbidden, proposal_limit_reached, payload_too_large, and what the
 * change itself throws
 */
export async function createProposal(
  context: MemberContext,
  path: EnvironmentPath,
  body: Proposing,
  begun: Begun,
): Promise<CheckedProposal> {
  requireMayRotate(context, body);
  let stored: CheckedProposal | undefined;
  await decide(context, { path, body, begun }, async (target, decided) => {
    const values = proposedValues(decided);
    if (values === undefined) return;
    const proposal = await storeProposal(context, { path, target, decided, values }, body);
    const problems = knownProblems(context, begun.template, target, decided.decision);
    stored = { proposal: proposalView(context.access, proposal, target.state, new Map()), ...problems };
  });
  if (stored === undefined) throw nothingToPropose();
  return stored;
}

/** The scripts of a rotation need its values, and only whoever may read these can end it. @throws insufficient_scope */
function requireMayRotate({ access }: MemberContext, { purpose }: { purpose?: 'rotation' | undefined }): void {
  access.requireValues(purpose === 'rotation');
}

/**
 * A proposal by somebody who may see values, as every rotation is, can hold some that were given. A token for names only neither discards
 * these nor proposes them anew.
 * @throws insufficient_scope
 */
export function requireMayReplace({ access }: MemberContext, { byNames }: Pick<ProposalRecord, 'byNames'>): void {
  access.requireValues(byNames !== true);
}

export const nothingToPropose = () => invalidRequest([{ path: '', message: 'would change nothing' }]);

async function decide(
  context: MemberContext,
  { path, body, begun }: { path: EnvironmentPath; body: Proposing; begun: Begun },
  propose: NonNullable<ChangeOptions['propose']>,
): Promise<void> {
  const options = { ...asDryRun, ifMatch: body.ifMatch, propose };
  if (begun.promotion !== undefined && 'promote' in body) {
    requireNoDeployer(context);
    await promoteSecrets(context, { ...body.promote, to: path.env, ...options }, begun.promotion);
  } else if (begun.restoration !== undefined && 'restore' in body) {
    requireNoDeployer(context);
    const { access } = context;
    const { project, state } = begun.restoration.target.reads;
    access.requireProject(project);
    access.requireEnvironment(state, 'write');
    if (access.principal.identity !== undefined || !hasFreshRights(access.projectRole)) {
      throw new ApiError('forbidden', `The role ${access.role} may not restore an earlier revision.`);
    }
    await restoreSecrets(context, { ...body.restore, ...options }, begun.restoration);
  } else if (begun.change !== undefined && 'changes' in body) {
    const { set, delete: deletions } = body.changes;
    context.access.requireValues(!areGenerated(set));
    await applyChanges(context, { set, delete: deletions, ...options }, begun.change);
  }
}

/** Deployers set and delete single secrets in their environment. */
function requireNoDeployer({ principal }: MemberContext): void {
  if (principal.identity?.role !== 'deployer') return;
  throw new ApiError('forbidden', 'A deployer may only propose to set and delete secrets.');
}
