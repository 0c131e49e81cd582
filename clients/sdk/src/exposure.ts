import type { components, paths } from './api-types.ts';
import { limits, type PageOptions } from './audit-log.ts';
import type { Holdfast } from './holdfast.ts';

type Answer = components['schemas']['GetExposureResponse'];
type Query = NonNullable<paths['/v1/audit/{orgId}/exposure']['get']['parameters']['query']>;
type Period = Pick<Query, 'since' | 'until'>;

export type Exposure = components['schemas']['Exposure'];
/** What a credential saw. */
export type CredentialExposure = Extract<Answer, { exposures: unknown }>;
/** Who knows a secret. */
export type SecretReaders = Extract<Answer, { readers: unknown }>;
type Reader = SecretReaders['readers'][number];

/** A credential, or who holds it, and a period; without it, all that is known. */
export type ExposureQuery = Period &
  ({ tokenId: string } | { sessionId: string } | { userId: string } | { identityId: string });
/** The id of an environment, and the key of a secret in it. */
export type ReadersQuery = Period & { environment: string; key: string };

/**
 * Every secret whose value became known to a credential, still current ones first; or with an environment and a key,
 * everyone who knows the secret's current value, the latest first. It asks as often as it takes and adds the pages up.
 */
export function exposure(
  client: Holdfast,
  organizationId: string,
  query: ExposureQuery,
  options?: PageOptions<Answer>,
): Promise<CredentialExposure>;
export function exposure(
  client: Holdfast,
  organizationId: string,
  query: ReadersQuery,
  options?: PageOptions<Answer>,
): Promise<SecretReaders>;
export async function exposure(
  client: Holdfast,
  organizationId: string,
  query: Query,
  { signal, onPage }: PageOptions<Answer> = {},
): Promise<Answer> {
  const options = { path: { orgId: organizationId }, limits, ...(signal === undefined ? {} : { signal }) };
  const pages: Answer[] = [];
  for (let asked: Query | undefined = query; asked !== undefined; ) {
    const page: Answer = await client.request('GET', '/v1/audit/{orgId}/exposure', { ...options, query: asked });
    onPage?.(page);
    pages.push(page);
    asked = page.next === undefined ? undefined : { ...query, after: page.next };
  }
  return addedUp(pages);
}

function addedUp(pages: readonly Answer[]): Answer {
  const { next: _, incomplete: __, ...last } = pages[pages.length - 1] as Answer;
  const reasons = pages.flatMap(({ incomplete = [] }) => incomplete);
  const evidence = {
    complete: pages.every(({ complete }) => complete),
    ...(reasons.length === 0
      ? {}
      : { incomplete: [...new Map(reasons.map(reason => [JSON.stringify(reason), reason])).values()] }),
  };
  if ('readers' in last) {
    const all = (pages as readonly SecretReaders[]).flatMap(({ readers }) => readers);
    const readers = joined(all, ({ actor }) => actor.id);
    return { ...last, ...evidence, readers: readers.sort((a, b) => (a.lastAt > b.lastAt ? -1 : 1)) };
  }
  const answers = pages as readonly CredentialExposure[];
  const exposures = joined(
    answers.flatMap(page => page.exposures),
    ({ environment, key }) => `${environment.id} ${key}`,
  );
  return {
    ...last,
    ...evidence,
    subject: answers.reduce((known, { subject }) => (subject.name === null ? known : subject), last.subject),
    exposures: exposures.sort((a, b) => Number(b.current) - Number(a.current)),
  };
}

/** What several pages say about the same, as one. The order is that of the first mention. */
function joined<T extends Exposure | Reader>(all: readonly T[], idOf: (one: T) => string): T[] {
  const byId = new Map<string, T>();
  for (const one of all) {
    const known = byId.get(idOf(one));
    byId.set(idOf(one), known === undefined ? one : join(known, one));
  }
  return [...byId.values()];
}

/** Lists are united, and of anything else what the later page says counts. */
function join<T extends Exposure | Reader>(one: T, other: T): T {
  const times = [one.firstAt, one.lastAt, other.firstAt, other.lastAt].sort();
  const lists = Object.entries(one).flatMap(([name, list]) => {
    if (!Array.isArray(list)) return [];
    const united = [...new Set([...list, ...((other as unknown as Record<string, unknown[]>)[name] ?? [])])];
    return [[name, name === 'versions' ? united.sort((a, b) => Number(a) - Number(b)) : united]];
  });
  const current = 'current' in one && 'current' in other ? { current: one.current || other.current } : {};
  return { ...other, ...Object.fromEntries(lists), ...current, firstAt: times[0], lastAt: times[3] };
}
