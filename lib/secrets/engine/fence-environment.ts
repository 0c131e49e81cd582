import { lessThan } from '../../table/expressions.ts';
import { environmentStateRecord } from '../../table/records/environment.ts';
import { at, ConditionFailed, transact, update } from '../../table/store.ts';
import { type EnvironmentPath, partsOf } from './environment-path.ts';

/**
 * From its return on, nothing is written to the environment that is sealed under an older data key than `keyVersion`. A
 * writer in the middle of a change with an older one fails at its next step, and begins again with the new key.
 */
export async function fenceEnvironment(path: EnvironmentPath, keyVersion: number): Promise<void> {
  try {
    await transact([
      update(
        at(environmentStateRecord, ...partsOf(path)),
        { set: { keyVersion } },
        { if: { keyVersion: lessThan(keyVersion) } },
      ),
    ]);
  } catch (error) {
    // It is that high already, or the environment is gone.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
