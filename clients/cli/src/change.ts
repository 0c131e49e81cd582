import { type Environment, HoldfastError, type Plan, RevisionMismatch } from '@holdfast/sdk';
import { exitCodes, Failure, usage } from './failure.ts';
import { failureOf } from './failure-of.ts';
import type { Output } from './output.ts';
import { keyChanges, printable, someOf } from './printable.ts';
import { countOf, type PlannedChange, type ProposeFlags, proposePlan } from './proposal.ts';
import type { Session } from './session.ts';
import type { Terminal } from './terminal.ts';

interface Offer<T> extends PlannedChange {
  plan: Plan<T>;
  /** "promote dev to staging" */
  title: string;
}

interface PlanFlags extends ProposeFlags {
  dryRun?: boolean;
  /** Whether a long plan is shown in full. */
  all?: boolean;
}

/** What is shown of a plan. */
export type ShownPlan = Pick<Plan<unknown>, 'created' | 'updated' | 'unchanged' | 'deleted' | 'skipped'>;

const mask = '••••••••';

/** A plan of more keys than this is shown in part. */
const maxKeysShown = 20;
const maxKeysOfKind = 10;

export function planLines(plan: ShownPlan, output: Output, stream: 1 | 2, all: boolean): string[] {
  const total = countOf(plan);
  const kinds = [
    [plan.created, 'green', '+', ` = ${mask}`, 'create'],
    [plan.updated, 'yellow', '~', ` = ${mask}`, 'update'],
    [plan.deleted, 'red', '-', '', 'delete'],
  ] as const;
  return kinds.flatMap(([keys, color, sign, value, verb]) => {
    // Each kind is cut by itself, so that many new keys don't hide a deleted one.
    const isCut = !all && total > maxKeysShown && keys.length > maxKeysOfKind;
    const lines = (isCut ? keys.slice(0, maxKeysOfKind) : keys).map(key =>
      output.paint(color, `${sign} ${key}${value}`, stream),
    );
    return isCut ? [...lines, `  and ${keys.length - maxKeysOfKind} more to ${verb} (--all shows all)`] : lines;
  });
}

/**
 * Shows the plan, asks for confirmation on a terminal, applies or proposes exactly that plan, and prints the outcome.
 * @throws Failure with code 6 after a conflict, once it has shown the concurrent changes
 */
export async function carryOut<T extends { revision: number }>(
  session: Session,
  { environment, plan, title, change }: Offer<T>,
  flags: PlanFlags,
): Promise<void> {
  const { output, terminal } = session;
  const { dryRun, all = false, ifRevision, propose = false } = flags;
  if (ifRevision !== undefined && ifRevision !== plan.revision) {
    return await refuseMoved(output, environment, { base: ifRevision, current: plan.revision });
  }
  const { created, updated, unchanged, deleted, skipped, revision } = plan;
  if (dryRun) {
    if (output.json) {
      output.document({ dryRun: true, plan: { created, updated, unchanged, deleted, skipped }, revision });
    } else showDryRun(output, plan, title, all);
    return;
  }
  if (!propose) requireYes(terminal, plan, title);
  showPlan(session, plan, title, all);
  // A plan for names only does not tell what would be replaced.
  if (propose || countOf(plan) > 0) await requireConfirmed(terminal, propose);
  const refuse = async (error: unknown) => {
    if (!(error instanceof RevisionMismatch)) throw error;
    return await refuseMoved(output, environment, { base: plan.revision, current: error.currentRevision });
  };
  if (propose) return await proposePlan(session, { environment, plan, change }, flags).catch(refuse);
  const answer = await applyPlan(environment, plan).catch(refuse);
  if (output.json) output.document(answer);
  else output.note(`Done; ${environment.slug} is at revision ${answer.revision}.`);
}

/** @throws Failure if the plan deletes keys, nobody can be asked, and there is no --yes */
function requireYes({ isUnattended }: Terminal, { deleted }: Plan<unknown>, title: string): void {
  if (!isUnattended || deleted.length === 0) return;
  throw usage(
    `To ${title} would delete ${someOf(deleted)}. Nothing was changed.`,
    'Without a terminal, deleting requires --yes.',
  );
}

/** Asks a person, if there is one to ask. @throws Failure if the answer is no */
export async function requireConfirmed(terminal: Terminal, isProposed: boolean): Promise<void> {
  if (!terminal.confirms || (await terminal.confirm(isProposed ? 'Propose?' : 'Apply?'))) return;
  throw new Failure(exitCodes.other, 'declined', isProposed ? 'Nothing was proposed.' : 'Nothing was changed.');
}

/** Prints the plan on stderr. A prompt always shows it, even with --quiet and --json. */
export function showPlan(
  { output, terminal }: { output: Output; terminal: Terminal },
  plan: ShownPlan,
  title: string,
  all = false,
): void {
  const say = terminal.confirms ? output.warn : output.note;
  for (const line of planLines(plan, output, 2, all)) say(line);
  say(summaryOf(plan, `To ${title}`));
}

/** Prints the plan on stdout. */
export function showDryRun(output: Output, plan: ShownPlan, title: string, all = false): void {
  const lines = planLines(plan, output, 1, all || !output.isTerminal);
  output.data(lines.map(line => `${line}\n`).join(''));
  output.note(summaryOf(plan, `Would ${title}`));
}

/** @throws RevisionMismatch on a conflict; Failure with the known outcome if the service became unreachable */
export async function applyPlan<T>(environment: Environment, plan: Plan<T>): Promise<T> {
  try {
    return await plan.apply();
  } catch (error) {
    const isKnown = !(error instanceof HoldfastError && error.outcomeUnknown);
    if (isKnown || error instanceof RevisionMismatch) throw error;
    throw await outcomeAfter(error, environment, plan.revision);
  }
}

/** Reports a conflict: who changed what and why, where the caller may see it. */
export async function refuseMoved(
  output: Output,
  environment: Environment,
  { base, current }: { base: number; current: number },
  outcome = 'nothing was changed',
): Promise<never> {
  const latest = await environment.revisions({ limit: 20 }).catch(() => undefined);
  const moved = latest?.revisions.filter(({ revision }) => revision > base) ?? [];
  for (const { revision, createdBy, createdAt, message, ...keys } of output.json ? [] : moved) {
    const why = message === null ? '' : ` (${printable(message)})`;
    output.warn(
      `Revision ${revision}, ${createdBy?.email ?? 'an operator'}, ${output.time(createdAt, 2)}${why}: ${keyChanges(keys, ' ').join(', ')}`,
    );
  }
  throw new Failure(
    exitCodes.conflict,
    'revision_mismatch',
    `${environment.slug} has moved from revision ${base} to ${current}; ${outcome}.`,
    {
      details: { currentRevision: current, moved },
      hint: `See the changes: holdfast diff ${environment.slug}@${base} · then run the command again`,
    },
  );
}

/** The service became unreachable. If it is back, one read shows whether the change was applied. */
async function outcomeAfter(error: HoldfastError, environment: Environment, base: number): Promise<Failure> {
  const { requestId, details, exitCode, code } = failureOf(error);
  const now = await environment.keys().catch(() => undefined);
  if (now === undefined) {
    const unknown = `${error.message} The change may have been applied, in full or not at all.`;
    const hint = `It is safe to run the command again. The previous revision was ${base}.`;
    return new Failure(exitCode, code, unknown, { requestId, details, hint });
  }
  const outcome =
    now.revision === base
      ? // The service may still be working on it.
        `Nothing has changed so far: ${environment.slug} is still at revision ${base}.`
      : `${environment.slug} moved from revision ${base} to ${now.revision}.`;
  return new Failure(exitCode, code, `${error.message} ${outcome}`, {
    requestId,
    details,
    hint: 'Check with: holdfast revisions · it is safe to run the command again',
  });
}

export function summaryOf({ created, updated, unchanged, deleted, skipped }: ShownPlan, title: string): string {
  const counts: (readonly [readonly string[], string])[] = [
    [created, 'to create'],
    [updated, 'to update'],
    [deleted, 'to delete'],
    [unchanged, 'unchanged'],
    [skipped, 'left alone'],
  ];
  const parts = counts.flatMap(([keys, what]) => (keys.length === 0 ? [] : [`${keys.length} ${what}`]));
  return `${title}: ${parts.length === 0 ? 'nothing' : parts.join(', ')}.`;
}
