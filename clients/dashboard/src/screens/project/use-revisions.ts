import { type Answer, call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import type { Place } from '../../secrets/place.ts';

type Page = Answer<'GET /v1/secrets/{orgSlug}/{project}/{env}/revisions'>;
export type RevisionEntry = Page['revisions'][number];

/** The revisions of an environment, newest first, loaded page by page. */
export function useRevisions(place: Place, environmentId: string) {
  const page = (query: { before?: number }, signal?: AbortSignal): Promise<Page> =>
    call('GET /v1/secrets/{orgSlug}/{project}/{env}/revisions', {
      params: { ...place },
      query: { limit: 20, ...query },
      ...(signal === undefined ? {} : { signal }),
    });
  const loaded = useLoad(environmentId, signal => page({}, signal));
  const older = useAction(async (before: number) => {
    const { revisions, next } = await page({ before });
    loaded.set({ revisions: [...(loaded.data?.revisions ?? []), ...revisions], next });
  });
  return { loaded, older };
}
