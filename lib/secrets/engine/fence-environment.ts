import { find, retryOnConditionFailed, transact, update } from '../../table/store.ts';
import { claimIn, raiseFence } from './claim.ts';
import type { EnvironmentPath } from './environment-path.ts';
import { fenced, notRisen, stateAt } from './fencing.ts';

/**
 * From its return on, nothing is written to the project's environment that is sealed under an older data key than
 * `keyVersion`: whatever was decided before is refused, and writers that decide again find that they need the new key.
 */
export async function fenceEnvironment(path: EnvironmentPath, projectId: string, keyVersion: number): Promise<void> {
  await retryOnConditionFailed(async () => {
    const state = await find(stateAt(path));
    // Under the slugs there may be another project's environment by now.
    if (state?.projectId !== projectId || state.status !== 'active' || state.keyVersion >= keyVersion) return;
    const claim = claimIn(path, state);
    if (claim !== undefined) {
      await raiseFence(claim, { set: { keyVersion }, abandoned: true });
      return;
    }
    const set = { fence: state.fence + 1, keyVersion };
    await transact([update(stateAt(path), { set }, { if: notRisen(fenced(path, state)) })]);
  });
}
