import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ChangePlan } from '@holdfast/contracts/secrets/changes.ts';
import { useEffect, useRef } from 'preact/hooks';
import { call, Refusal } from '../api.ts';
import { useAction, useLoad } from '../load.ts';
import { showToast } from '../ui/toast.tsx';
import type { Sending } from './apply.tsx';
import type { Place } from './place.ts';
import { planOf } from './proof.tsx';
import { orOfferToPropose, propose } from './propose.ts';
import { type Choice, continueOn, type Stage, withoutApplied } from './stage.ts';
import { type StagedValue, stageOf } from './staging.ts';

/** The current state of the environment after others changed it. Without keys if the user can't read them. */
export interface Moved {
  revision: number;
  versions: ReadonlyMap<string, number>;
  by: ReadonlyMap<string, { email: string; at: string }>;
}

export interface ReviewOptions {
  place: Place;
  environment: Environment;
  readable: boolean;
  onClose: () => void;
  onApplied: () => Promise<void>;
}

/**
 * The staged changes of an environment with the service's plan for them, or with the changes that others made
 * meanwhile. The plan is reloaded whenever the stage changes and after a log-in over the page. Only a click sends a
 * write.
 */
export function useReview({ place, environment, readable, onClose, onApplied }: ReviewOptions) {
  const current = stageOf(environment.id);
  const stage = current.value;
  const planning = useLoad(useIdentity(stage), async signal => {
    if (stage === undefined) return undefined;
    return planStage(place, stage, readable, signal);
  });
  const finish = async (of: Stage) => {
    // The keys are loaded before the stage is cleared, so that new ones don't vanish in between.
    await onApplied();
    current.value = withoutApplied(current.value, of);
  };
  const applying = useAction(async (of: Stage, { message, proposes, bypass }: Sending) => {
    const params = { ...place };
    const body = bodyOf(of, message);
    try {
      if (proposes) {
        // A proposal has no revision to match. A dry run checks that this is still the reviewed one.
        await requestPlan(place, of);
        await propose(place, body, () => finish(of));
        return;
      }
      const { revision } = await orOfferToPropose(
        call('POST /v1/secrets/{orgSlug}/{project}/{env}/changes', {
          params,
          query: { bypass },
          body,
          ifMatch: of.revision,
        }),
        onApplied,
      );
      await finish(of);
      showToast(`Applied as revision ${revision} of ${environment.slug}.`);
      onClose();
    } catch (error) {
      if (!isConflict(error)) throw error;
      await planning.reload();
    }
  });
  const done = stage === undefined;
  useEffect(() => {
    if (done) onClose();
  }, [done]);
  return {
    stage,
    plan: planning.data?.plan,
    moved: planning.data?.moved,
    planning,
    applying,
    continueOn: (moved: Moved, choices: Readonly<Record<string, Choice>>) => {
      if (stage !== undefined) current.value = continueOn(stage, moved.revision, moved.versions, choices);
      void onApplied();
    },
  };
}

/** A key that changes whenever the object is replaced. */
function useIdentity(of: object | undefined): string {
  const seen = useRef({ of, number: 0 });
  if (seen.current.of !== of) seen.current = { of, number: seen.current.number + 1 };
  return `${seen.current.number}`;
}

const isConflict = (error: unknown): error is Refusal => error instanceof Refusal && error.status === 412;

/** The service's plan for the stage, or the new state if the stage's revision is no longer current. */
async function planStage(
  place: Place,
  stage: Stage,
  readable: boolean,
  signal: AbortSignal,
): Promise<{ plan?: ChangePlan; moved?: Moved }> {
  try {
    return { plan: planOf(await requestPlan(place, stage, signal)) };
  } catch (error) {
    if (!isConflict(error)) throw error;
    return { moved: readable ? await lookAtKeys(place, signal) : unreadable(error) };
  }
}

function requestPlan(place: Place, stage: Stage, signal?: AbortSignal) {
  return call('POST /v1/secrets/{orgSlug}/{project}/{env}/changes', {
    params: { ...place },
    query: { dryRun: true },
    body: bodyOf(stage),
    ifMatch: stage.revision,
    ...(signal === undefined ? {} : { signal }),
  });
}

async function lookAtKeys(place: Place, signal: AbortSignal): Promise<Moved> {
  const { keys, revision } = await call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', {
    params: { ...place },
    signal,
  });
  return {
    revision,
    versions: new Map(keys.map(({ key, version }) => [key, version])),
    by: new Map(keys.map(({ key, updatedBy, updatedAt }) => [key, { email: updatedBy.email, at: updatedAt }])),
  };
}

/** What a conflict shows to a user who can't read the keys: only the revision. */
function unreadable({ details }: Refusal): Moved {
  return { revision: (details as { currentRevision: number }).currentRevision, versions: new Map(), by: new Map() };
}

function bodyOf(stage: Stage, message?: string) {
  const set: StagedValue[] = [];
  const gone: string[] = [];
  for (const [key, staged] of stage.changes) {
    if (staged.kind === 'set') set.push({ key, value: staged.value, ...(staged.expand && { expand: true }) });
    else gone.push(key);
  }
  return {
    ...(set.length === 0 ? {} : { set }),
    ...(gone.length === 0 ? {} : { delete: gone }),
    ...(message ? { message } : {}),
  };
}
