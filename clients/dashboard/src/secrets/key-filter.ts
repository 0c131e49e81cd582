/** What the template says about a key, as far as a filter asks for it. */
export interface FilteredKey {
  key: string;
  tags?: readonly string[] | undefined;
  /** A user id. */
  owner?: string | null | undefined;
  dueAt?: string | null | undefined;
}

/** The text of a search field: words of keys, and conditions such as `tag:payments owner:me due:30d`. */
export interface KeyFilter {
  /** In lower case. A key contains one of them. */
  words: readonly string[];
  tags: readonly string[];
  owners: readonly string[];
  /** Due until then; undefined for any time. */
  until: number | undefined;
  /** Conditions that can't be read, and what would be right. */
  problem: string | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Pure. A key has no colon, so a word with one is a condition. */
export function readFilter(text: string, nowMs: number): KeyFilter {
  const given = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(word => word !== '');
  const valuesOf = (name: string) =>
    given.filter(word => word.startsWith(`${name}:`)).map(word => word.slice(name.length + 1));
  const dues = valuesOf('due')
    .filter(value => value !== '')
    .map(untilOf);
  const unknown = given.find(word => word.includes(':') && !/^(tag|owner|due):/.test(word));
  return {
    words: given.filter(word => !word.includes(':')),
    tags: valuesOf('tag').filter(tag => tag !== ''),
    owners: valuesOf('owner').filter(owner => owner !== ''),
    until: dues.length === 0 ? undefined : nowMs + Math.min(...dues.map(days => days ?? 0)) * dayMs,
    problem:
      unknown !== undefined
        ? `‘${unknown}’ is not a condition. There are tag:, owner: and due:, such as due:30d.`
        : dues.includes(undefined)
          ? 'due: takes a number of days, such as due:30d, or due:overdue.'
          : undefined,
  };
}

/** The days of `30d`, `30` or `overdue`; undefined for anything else. */
function untilOf(value: string): number | undefined {
  if (value === 'overdue') return 0;
  const [, days] = /^(\d{1,4})d?$/.exec(value) ?? [];
  return days === undefined ? undefined : Number(days);
}

interface People {
  /** The user who filters. */
  me: string | undefined;
  /** What the user may type for somebody, such as a name and an address. */
  namesOf: (userId: string) => readonly string[];
}

/** Whether a key fits every condition and contains one of the words. Pure. */
export function fits(
  { words, tags, owners, until, problem }: KeyFilter,
  { key, tags: own = [], owner, dueAt }: FilteredKey,
  people: People,
): boolean {
  if (problem !== undefined) return false;
  const name = key.toLowerCase();
  return (
    (words.length === 0 || words.some(word => name.includes(word))) &&
    tags.every(tag => own.includes(tag)) &&
    owners.every(wanted => isOwner(wanted, owner ?? undefined, people)) &&
    (until === undefined || (typeof dueAt === 'string' && Date.parse(dueAt) <= until))
  );
}

function isOwner(wanted: string, owner: string | undefined, { me, namesOf }: People): boolean {
  if (wanted === 'nobody') return owner === undefined;
  if (owner === undefined) return false;
  if (wanted === 'me') return owner === me;
  return owner === wanted || namesOf(owner).some(name => name.toLowerCase().includes(wanted));
}
