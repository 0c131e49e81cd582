import { type Condition, equals, isActive } from '../../table/expressions.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at, find, readAll } from '../../table/read.ts';
import { type EnvironmentState, environmentStateRecord, fenceRecord } from '../../table/records/environment.ts';
import { put, remove, update, type Write } from '../../table/write.ts';

/*
 * The fencing token of an environment (README.md): every write requires the token that its writer read, so it is
 * rejected once the token has risen.
 */

/** An environment and its token. The id distinguishes it from a later environment with the same slugs. */
export interface Fenced {
  path: EnvironmentPath;
  environmentId: string;
  fence: number;
}

export const stateAt = (path: EnvironmentPath) => at(environmentStateRecord, path);

export const fenced = (path: EnvironmentPath, { id, fence }: EnvironmentState) => ({ path, environmentId: id, fence });

/**
 * Makes the secrets unreachable, in the transaction that deletes the environment or its project. A conditional pull
 * reads only the state, so the state must say so. From then on no change commits.
 */
export function closeEnvironment(path: EnvironmentPath, id: string, isSame: Condition<EnvironmentState> = {}): Write {
  return update(stateAt(path), { set: { status: 'deleting' } }, { if: { ...isSame, ...isActive(id) } });
}

/** The reverse, in the transaction that restores the environment or its project. Can be repeated. */
export function reopenEnvironment(path: EnvironmentPath, id: string): Write {
  return update(stateAt(path), { set: { status: 'active' } }, { if: { id: equals(id) } });
}

/** Closes what may be closed already, for a transaction that makes sure that it has to be. */
export function closeRestOf(path: EnvironmentPath, id: string): Write {
  return update(stateAt(path), { set: { status: 'deleting' } }, { if: { id: equals(id) } });
}

/** Condition on the state: it is the same environment, and its token has not risen. */
export function notRisen(read: Pick<Fenced, 'environmentId' | 'fence'>): Condition<EnvironmentState> {
  return { id: equals(read.environmentId), fence: equals(read.fence) };
}

/** The maximum number of copies of the token, and so of parallel steps of a large change. */
export const maximumFences = 8;

/**
 * Puts the copies of the token, in the transaction that raises it.
 * @param stored the copies that were read, to require that their writer has made no step since
 */
export function putFences({ path, environmentId, fence }: Fenced, count: number, stored: FenceCopies = []): Write[] {
  return lanes(count).map(lane => {
    const copy = stored[lane];
    const isSame = copy === undefined ? {} : { if: { steps: equals(copy.steps) } };
    return put(fenceAt(path, lane), { environmentId, fence, steps: 0 }, isSame);
  });
}

/** Removes the copies, in the transaction that ends the change, so that none of its steps can run again. */
export function removeFences({ path }: Fenced, count: number): Write[] {
  return lanes(count).map(lane => remove(fenceAt(path, lane)));
}

export function checkFence({ path, environmentId, fence }: Fenced, lane: number): Write {
  const isSame = { environmentId: equals(environmentId), fence: equals(fence) };
  return update(fenceAt(path, lane), { add: { steps: 1 } }, { if: isSame });
}

export type FenceCopies = Awaited<ReturnType<typeof readFences>>['copies'];

/** The state and all copies of its token. Not a snapshot: later writes require each of them to be unchanged. */
export async function readFences(path: EnvironmentPath) {
  const fences = lanes(maximumFences).map(lane => fenceAt(path, lane));
  const [state, copies] = await Promise.all([find(stateAt(path)), readAll(fences)]);
  return { state, copies };
}

const fenceAt = (path: EnvironmentPath, lane: number) => at(fenceRecord, path, lane);

const lanes = (count: number): number[] => Array.from({ length: count }, (_, lane) => lane);
