import { absent, type Condition, equals } from '../../table/expressions.ts';
import { type EnvironmentState, environmentStateRecord, fenceRecord } from '../../table/records/environment.ts';
import { at, check, put, remove, type Write } from '../../table/store.ts';
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
  return { id: equals(environmentId), fence: fence === 0 ? absent : equals(fence) };
}

/** How many copies of the token there may be, and with it how many steps of a large change run side by side. */
export const maximumFences = 8;

/** Puts the copies of the token, in the transaction that raises it. */
export function putFences({ path, environmentId, fence }: Fenced, count: number): Write[] {
  return lanes(count).map(lane => put(at(fenceRecord, ...partsOf(path), lane), { environmentId, fence }));
}

/** Removes the copies, in the transaction that ends the change: then no step of it can be executed once more. */
export function removeFences({ path }: Fenced, count: number): Write[] {
  return lanes(count).map(lane => remove(at(fenceRecord, ...partsOf(path), lane)));
}

export function checkFence({ path, environmentId, fence }: Fenced, lane: number): Write {
  return check(at(fenceRecord, ...partsOf(path), lane), {
    if: { environmentId: equals(environmentId), fence: equals(fence) },
  });
}

function lanes(count: number): number[] {
  return Array.from({ length: count }, (_, lane) => lane);
}
