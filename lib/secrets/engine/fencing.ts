import { type Condition, equals } from '../../table/expressions.ts';
import { at, find, readAll } from '../../table/read.ts';
import {
  type EnvironmentState,
  environmentStateRecord,
  type FenceRecord,
  fenceRecord,
} from '../../table/records/environment.ts';
import { put, remove, update, type Write } from '../../table/write.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';

/*
 * The fencing token of an environment (see README.md): whatever is written names the token it was decided under, and is
 * refused once the token has risen, however late it is executed.
 */

/** An environment whose token is held at a number. The id tells it from one made later under the same slugs. */
export interface Fenced {
  path: EnvironmentPath;
  environmentId: string;
  fence: number;
}

export function stateAt(path: EnvironmentPath) {
  return at(environmentStateRecord, ...partsOf(path));
}

export function fenced(path: EnvironmentPath, { id, fence }: EnvironmentState): Fenced {
  return { path, environmentId: id, fence };
}

/** Condition on the state: it is that environment's, and its token has not risen. */
export function notRisen({
  environmentId,
  fence,
}: Pick<Fenced, 'environmentId' | 'fence'>): Condition<EnvironmentState> {
  return { id: equals(environmentId), fence: equals(fence) };
}

/** How many copies of the token there may be, and with it how many steps of a large change run side by side. */
export const maximumFences = 8;

/**
 * Puts the copies of the token, in the transaction that raises it.
 * @param found the copies as they must be, where the writer that used them must not have made a step since
 */
export function putFences(
  { path, environmentId, fence }: Fenced,
  count: number,
  found: readonly (FenceRecord | undefined)[] = [],
): Write[] {
  return lanes(count).map(lane => {
    const before = found[lane];
    const condition = before === undefined ? {} : { if: { steps: equals(before.steps) } };
    return put(fenceAt(path, lane), { environmentId, fence, steps: 0 }, condition);
  });
}

/** Removes the copies, in the transaction that ends the change, so that none of its steps can be executed again. */
export function removeFences({ path }: Fenced, count: number): Write[] {
  return lanes(count).map(lane => remove(fenceAt(path, lane)));
}

/** The write that holds a step to the token, and counts it. */
export function checkFence({ path, environmentId, fence }: Fenced, lane: number): Write {
  const isSame = { environmentId: equals(environmentId), fence: equals(fence) };
  return update(fenceAt(path, lane), { add: { steps: 1 } }, { if: isSame });
}

/** The state with all copies of its token. They are no snapshot; each is conditioned on. */
export async function readFences(
  path: EnvironmentPath,
): Promise<{ state: EnvironmentState | undefined; copies: (FenceRecord | undefined)[] }> {
  const [state, copies] = await Promise.all([
    find(stateAt(path)),
    readAll(lanes(maximumFences).map(lane => fenceAt(path, lane))),
  ]);
  return { state, copies };
}

function fenceAt(path: EnvironmentPath, lane: number) {
  return at(fenceRecord, ...partsOf(path), lane);
}

function lanes(count: number): number[] {
  return Array.from({ length: count }, (_, lane) => lane);
}
