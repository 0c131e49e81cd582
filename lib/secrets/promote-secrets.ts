import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { promoteSecrets as contract } from '../contracts/secrets/promotion.ts';
import { ApiError } from '../core/errors.ts';
import { equals, isActive } from '../table/expressions.ts';
import { check } from '../table/write.ts';
import type { ChangeOptions, CurrentSecrets, Decision, Put, Source } from './change/change-request.ts';
import { sortOutUnchanged } from './change/decide-change.ts';
import { beginChange } from './change/read-target.ts';
import { changeByCopy, changeSecrets } from './change-secrets.ts';
import { stateAt } from './engine/fencing.ts';
import { openStored } from './engine/open-values.ts';
import { beginRead, type EnvironmentReads, readLive } from './engine/read-live-secrets.ts';
import { isLive } from './engine/read-snapshot.ts';
import { DecisionOutdated } from './engine/write-change.ts';

type Promotion = Omit<BodyOf<typeof contract>, 'message'>;

export async function beginPromotion(
  project: { orgSlug: string; project: string },
  { from, to, keys, dryRun }: Promotion & Pick<ChangeOptions, 'dryRun'>,
) {
  const [source, target] = await Promise.all([
    beginRead({ ...project, env: from }),
    beginChange({ ...project, env: to }, keys ?? 'all', { dryRun }),
  ]);
  return { source, target };
}

/**
 * Copies secrets from one environment of the project to another, as one change. It commits only if the source is still
 * at the revision that was read.
 * @throws secret_not_found for a key that the source lacks, and what `changeSecrets` throws
 */
export async function promoteSecrets(
  context: MemberContext,
  promotion: Promotion & ChangeOptions,
  begun: Awaited<ReturnType<typeof beginPromotion>>,
) {
  context.access.requireValues(!promotion.dryRun);
  const readAgain = () => beginPromotion(begun.target.path, promotion);
  return changeByCopy(begun, readAgain, async ({ source: sourceReads, target }) => {
    const source = await readSource(context, promotion, sourceReads);
    return changeSecrets(context, target, { ...promotion, decide: current => decide(promotion, source, current) });
  });
}

type OpenSource = Source & { secrets: readonly Put[] };

/** Needs the right to read the source: otherwise a developer could read production by promoting it to development. */
async function readSource(context: MemberContext, { keys }: Promotion, begun: EnvironmentReads): Promise<OpenSource> {
  return readLive(context, begun, async ({ state, live, ring }) => {
    const requestedKeys = keys === undefined ? undefined : new Set(keys);
    const heads = live.filter(({ key }) => requestedKeys?.has(key) ?? true);
    const stored = await openStored(state.id, heads, ring);
    const secrets = [...stored].map(([key, value]) => ({ key, ...value }));
    const { path } = begun;
    const { id, slug, revision } = state;
    const isUnchanged = { ...isActive(id), revision: equals(revision) };
    const refused = () => new DecisionOutdated();
    return { path, id, slug, revision, secrets, check: check(stateAt(path), { if: isUnchanged, refused }) };
  });
}

async function decide(
  { keys = [], overwrite }: Promotion,
  { secrets, ...from }: OpenSource,
  current: CurrentSecrets,
): Promise<Decision<{ promoted: string[]; skipped: string[]; unchanged: string[]; revision: number }>> {
  const sourceKeys = new Set(secrets.map(({ key }) => key));
  const missingKey = keys.find(key => !sourceKeys.has(key));
  if (missingKey !== undefined) {
    throw new ApiError('secret_not_found', `There is no secret ${missingKey} in the source environment.`);
  }
  const isKept = (key: string) => !overwrite && isLive(current.head(key));
  const copied = secrets.filter(({ key }) => !isKept(key));
  return {
    ...(await sortOutUnchanged(copied, current)),
    deletions: [],
    skipped: secrets.map(({ key }) => key).filter(isKept),
    action: 'secret.promoted',
    from,
    answer: ({ plan: { created, updated, skipped, unchanged }, revision }) => ({
      promoted: [...created, ...updated].toSorted(),
      skipped,
      unchanged,
      revision,
    }),
  };
}
