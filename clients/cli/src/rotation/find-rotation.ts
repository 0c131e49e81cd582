import type { Proposal, Proposals } from '@holdfast/sdk';
import { exitCodes, Failure, usage } from '../failure.ts';
import { failureOf, withHint } from '../failure-of.ts';

/** A page of the service. Of older ones, nothing is left to do that anybody waits for. */
const mostLookedAt = 100;

export const keysOf = ({ created, updated, deleted }: Proposal): string[] => [...created, ...updated, ...deleted];

const isRotation = ({ purpose }: Proposal) => purpose === 'rotation';

/** Whether it has changed something outside. */
export const hasStarted = ({ progress }: Proposal): boolean => progress !== undefined;

/** A refusal because somebody else began the rotation; undefined for any other error. */
export function ofAnother(error: unknown, { id, createdBy, state }: Proposal): Failure | undefined {
  const { code, message } = failureOf(error);
  if (code !== 'forbidden' || !message.startsWith('Only the author')) return undefined;
  const end = state === 'open' ? ` If they can’t: holdfast proposals reject ${id}` : '';
  return withHint(error, `${createdBy.email} began the rotation, and has to go on with it or end it.${end}`);
}

/**
 * The open rotation of these keys, or the only one.
 * @param orUnfinished also one that was applied, but whose last script has not ended
 * @throws Failure unless there is exactly one
 */
export async function findRotation(
  own: Proposals,
  keys: readonly string[],
  { orUnfinished }: { orUnfinished: boolean },
): Promise<Proposal> {
  const isMeant = (proposal: Proposal) => keys.every(key => keysOf(proposal).includes(key));
  const { proposals: open } = await own.list({ state: 'open', limit: mostLookedAt });
  const rotations = open.filter(one => isRotation(one) && isMeant(one));
  const found = rotations.length > 0 || !orUnfinished ? rotations : (await unfinished(own)).filter(isMeant);
  const [first, ...others] = found;
  if (first === undefined) {
    const what = keys.length === 0 ? 'rotation' : `rotation of ${keys.join(' and ')}`;
    throw new Failure(exitCodes.notFound, 'rotation_not_found', `No ${what} is open.`, {
      hint: 'See what became of earlier ones: holdfast proposals --state all',
    });
  }
  if (others.length === 0) return first;
  const named = found.map(one => keysOf(one).join(' ')).join(' · ');
  throw usage(`Several rotations are open: ${named}.`, 'Name a key, such as: holdfast rotate --resume KEY');
}

/** Those that were applied and not finished, but not where a later rotation of one of their keys was applied. */
async function unfinished(own: Proposals): Promise<Proposal[]> {
  const { proposals: applied } = await own.list({ state: 'applied', limit: mostLookedAt });
  const later = new Set<string>();
  return applied.filter(proposal => {
    if (!isRotation(proposal) || !hasStarted(proposal)) return false;
    const isLatest = keysOf(proposal).every(key => !later.has(key));
    for (const key of keysOf(proposal)) later.add(key);
    return isLatest && proposal.progress !== 'finished';
  });
}
