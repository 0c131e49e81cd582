import { useState } from 'preact/hooks';
import { call, Refusal } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import type { Sending } from '../../secrets/apply.tsx';
import type { Place } from '../../secrets/place.ts';
import { planOf } from '../../secrets/proof.tsx';
import { orOfferToPropose, propose } from '../../secrets/propose.ts';
import { showToast } from '../../ui/toast.tsx';

interface Options {
  place: Place;
  /** The revision to go back to. */
  revision: number;
  onRestored: () => void;
  /** Reloads the project. */
  reload: () => Promise<void>;
}

/** The plan of a restore. It is applied or proposed as one new revision, only on the revision that it was made for. */
export function useRestore({ place, revision, onRestored, reload }: Options) {
  /** Keys whose old values were destroyed; the other keys can be restored without them. */
  const [without, setWithout] = useState<readonly string[]>([]);
  const plan = useLoad(`restore ${revision} ${without.length}`, async signal => {
    const keys = without.length === 0 ? undefined : await keysBut(without, place, revision, signal);
    const answer = await call('POST /v1/secrets/{orgSlug}/{project}/{env}/restore', {
      params: { ...place },
      query: { dryRun: true },
      body: { revision, ...(keys === undefined ? {} : { keys }) },
      signal,
    });
    return { plan: planOf(answer), on: answer.revision, keys };
  });
  const restoring = useAction(async (on: number, keys: readonly string[] | undefined, sending: Sending) => {
    const { message, proposes, bypass } = sending;
    const params = { ...place };
    const restore = { revision, ...(keys === undefined ? {} : { keys: [...keys] }) };
    const said = message === '' ? {} : { message };
    const request = { params, body: { ...restore, ...said }, ifMatch: on };
    if (proposes) {
      // A proposal has no revision to match. A dry run checks that this is still the planned one.
      await call('POST /v1/secrets/{orgSlug}/{project}/{env}/restore', { ...request, query: { dryRun: true } });
      return propose(place, { restore, ...said }, reload);
    }
    const answer = await orOfferToPropose(
      call('POST /v1/secrets/{orgSlug}/{project}/{env}/restore', { ...request, query: { bypass } }),
      reload,
    );
    showToast(`Restored revision ${revision} as revision ${answer.revision}.`);
    onRestored();
  });
  return {
    plan,
    restoring,
    without,
    /** Keys that the service can't restore. */
    destroyed: destroyedKeys(plan.error),
    leaveOut: (keys: readonly string[]) => setWithout([...without, ...keys]),
    planAgain: () => {
      restoring.clear();
      void plan.reload();
    },
  };
}

function destroyedKeys(error: unknown): readonly string[] {
  const destroyed = error instanceof Refusal && error.code === 'version_destroyed';
  return destroyed ? (error.details as { keys: string[] }).keys : [];
}

/** The current keys and those of the revision, except excluded ones. Listing keys doesn't read destroyed values. */
async function keysBut(
  without: readonly string[],
  place: Place,
  revision: number,
  signal: AbortSignal,
): Promise<string[]> {
  const lists = await Promise.all(
    [undefined, revision].map(at =>
      call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', {
        params: { ...place },
        query: { revision: at },
        signal,
      }),
    ),
  );
  const all = new Set(lists.flatMap(({ keys }) => keys.map(({ key }) => key)));
  for (const key of without) all.delete(key);
  return [...all].toSorted();
}
