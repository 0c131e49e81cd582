import { equals } from '../../table/expressions.ts';
import { update, type Write } from '../../table/write.ts';
import type { EnvironmentPath } from './environment-path.ts';
import { stateAt } from './fencing.ts';

/**
 * Puts the environment's secrets out of reach, to stand in the transaction that deletes it or its project. A conditional
 * pull reads the state alone, so the state must say it. No change commits any more, and the erasure ends the steps of one
 * that is under way.
 */
export function closeEnvironment(path: EnvironmentPath, id: string): Write {
  return update(stateAt(path), { set: { status: 'deleting' } }, { if: { id: equals(id), status: equals('active') } });
}
