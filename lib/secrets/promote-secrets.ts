import type { MemberContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import { type BegunChange, beginChange, type ChangeOptions, changeSecrets } from './change-secrets.ts';
import { type BegunRead, beginRead, readLive } from './engine/read-live-secrets.ts';
import { isLive } from './engine/read-snapshot.ts';

interface Promotion {
  from: string;
  to: string;
  /** All of the source's secrets where undefined. */
  keys?: readonly string[] | undefined;
  overwrite: boolean;
}

interface BegunPromotion {
  source: BegunRead;
  target: BegunChange;
}

/** The reads of both ends, to begin together with authentication. */
export async function beginPromotion(
  project: { orgSlug: string; project: string },
  { from, to, keys }: Promotion,
): Promise<BegunPromotion> {
  const [source, target] = await Promise.all([
    beginRead({ ...project, env: from }),
    beginChange({ ...project, env: to }, keys ?? 'all'),
  ]);
  return { source, target };
}

/**
 * Copies secrets of one environment to another of the project, as one change of the target.
 * @throws secret_not_found for a key that the source lacks, and what `changeSecrets` throws
 */
export async function promoteSecrets(
  context: MemberContext,
  { keys, overwrite, ...options }: Promotion & ChangeOptions,
  begun: BegunPromotion,
) {
  // Without the right to read the source a developer could read production by promoting it to development.
  const from = await readLive(context, begun.source, async ({ state, live, ring }) => {
    const there = new Set(live.map(({ key }) => key));
    const lacking = (keys ?? []).find(key => !there.has(key));
    if (lacking !== undefined) {
      throw new ApiError('secret_not_found', `There is no secret ${lacking} in the source environment.`);
    }
    const wanted = keys === undefined ? there : new Set(keys);
    const secrets = await Promise.all(
      live
        .filter(({ key }) => wanted.has(key))
        .map(async head => ({ key: head.key, value: await ring.open(state.id, head) })),
    );
    return { id: state.id, slug: state.slug, secrets };
  });

  return changeSecrets(context, begun.target, {
    ...options,
    decide: async ({ head, hasValue }) => {
      const candidates = from.secrets.filter(({ key }) => overwrite || !isLive(head(key)));
      const skipped = from.secrets.filter(({ key }) => !overwrite && isLive(head(key))).map(({ key }) => key);
      const same = await Promise.all(candidates.map(({ key, value }) => hasValue(key, value)));
      const puts = candidates.filter((_, index) => !same[index]);
      const unchanged = candidates.filter((_, index) => same[index]).map(({ key }) => key);
      return {
        puts,
        deletions: [],
        event: 'secret.promoted',
        from: { id: from.id, slug: from.slug },
        answer: ({ revision }) => ({ promoted: puts.map(({ key }) => key), skipped, unchanged, revision }),
      };
    },
  });
}
