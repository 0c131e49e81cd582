import type { CredentialExposure, Exposure, SecretReaders } from '@holdfast/contracts/audit/exposure.ts';

type Reader = SecretReaders['readers'][number];
type Doubt = NonNullable<CredentialExposure['incomplete']>[number];

export const idOf = ({ environment, key }: Exposure) => `${environment.id} ${key}`;

const earlier = (a: string, b: string) => (a < b ? a : b);
const later = (a: string, b: string) => (a > b ? a : b);
const union = <T>(a: readonly T[], b: readonly T[]) => [...new Set([...a, ...b])];

/** Joins the items of several pages that have the same id. */
function mergedBy<T>(all: readonly T[], idOf: (one: T) => string, join: (a: T, b: T) => T): T[] {
  const merged = new Map<string, T>();
  for (const one of all) {
    const before = merged.get(idOf(one));
    merged.set(idOf(one), before === undefined ? one : join(before, one));
  }
  return [...merged.values()];
}

/** The secrets of all pages, each once. Each page covers only a part of the period. Pure. */
export function exposedSecrets(pages: readonly Pick<CredentialExposure, 'exposures'>[]): Exposure[] {
  return mergedBy(
    pages.flatMap(({ exposures }) => exposures),
    idOf,
    (a, b) => ({
      ...a,
      versions: union(a.versions, b.versions).toSorted((one, other) => one - other),
      firstAt: earlier(a.firstAt, b.firstAt),
      lastAt: later(a.lastAt, b.lastAt),
      how: union(a.how, b.how),
      grants: union(a.grants, b.grants),
      current: a.current || b.current,
    }),
  );
}

/**
 * In the order of the screen: first the secrets that were still current when the screen first showed them, then by place
 * and key. So a row keeps its place when it is checked off. Pure.
 */
export function inOrder(exposed: readonly Exposure[], wereCurrent: ReadonlySet<string>): Exposure[] {
  const rank = (one: Exposure) => (wereCurrent.has(idOf(one)) ? 0 : 1);
  const place = ({ project, environment, key }: Exposure) => `${project.slug}/${environment.slug}/${key}`;
  return exposed.toSorted((a, b) => rank(a) - rank(b) || (place(a) < place(b) ? -1 : 1));
}

/** The secrets that still have to be changed, one `project/environment/KEY` per line. Pure. */
export function linesToRotate(exposed: readonly Exposure[]): string {
  const lines = exposed
    .filter(({ current }) => current)
    .map(({ project, environment, key }) => `${project.slug}/${environment.slug}/${key}\n`);
  return lines.join('');
}

/** The readers of all pages, each once, the latest first. Pure. */
export function allReaders(pages: readonly Pick<SecretReaders, 'readers'>[]): Reader[] {
  const merged = mergedBy(
    pages.flatMap(({ readers }) => readers),
    ({ actor }) => actor.id,
    (a, b) => ({
      ...b,
      tokenIds: union(a.tokenIds, b.tokenIds),
      firstAt: earlier(a.firstAt, b.firstAt),
      lastAt: later(a.lastAt, b.lastAt),
    }),
  );
  return merged.toSorted((a, b) => (a.lastAt > b.lastAt ? -1 : 1));
}

/** Why the answer may list more than was seen, over all pages. Pure. */
export function doubtsOf(pages: readonly Pick<CredentialExposure, 'incomplete'>[]): {
  before: string | undefined;
  erased: string[];
} {
  const doubts: Doubt[] = pages.flatMap(({ incomplete = [] }) => incomplete);
  return {
    before: doubts
      .flatMap(({ before = [] }) => before)
      .toSorted()
      .at(-1),
    erased: union(
      doubts.flatMap(({ environment = [] }) => environment),
      [],
    ),
  };
}
