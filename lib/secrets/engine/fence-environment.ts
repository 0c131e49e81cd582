import { find } from '../../table/read.ts';
import { retryOnConditionFailed, transact, update } from '../../table/write.ts';
import type { EnvironmentPath } from './environment-path.ts';
import { fenced, notRisen, stateAt } from './fencing.ts';
import { leaseIn, raiseFence } from './lease.ts';

/**
 * From its return on, nothing is written to the project's environment that is sealed under an older data key than
 * `keyVersion`: whatever was decided before is refused, and writers that decide again find that they need the new key.
 */
export async function fenceEnvironment(path: EnvironmentPath, projectId: string, keyVersion: number): Promise<void> {
  await retryOnConditionFailed(async () => {
    const state = await find(stateAt(path));
    // Under the slugs there may be another project's environment by now.
    if (state?.projectId !== projectId || state.status !== 'active' || state.keyVersion >= keyVersion) return;
    const lease = leaseIn(path, state);
    if (lease !== undefined) {
      await raiseFence(lease, { set: { keyVersion }, abandoned: true });
      return;
    }
    const set = { fence: state.fence + 1, keyVersion };
    await transact([update(stateAt(path), { set }, { if: notRisen(fenced(path, state)) })]);
  });
}
