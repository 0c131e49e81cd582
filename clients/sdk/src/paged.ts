import { isObject } from './errors.ts';
import type { Query } from './transport.ts';

/** `await` gives the requested page. `for await` iterates over all items and fetches further pages. */
export type Paged<Page, Item> = Promise<Page> & AsyncIterable<Item>;

/** @param read fetches one page; each call costs one request */
export function paged<Page, Item>(read: (query: Query) => Promise<Page>, query: Query): Paged<Page, Item> {
  const first = read(query);
  return Object.assign(first, { [Symbol.asyncIterator]: () => itemsOf<Page, Item>(first, read, query) });
}

async function* itemsOf<Page, Item>(
  first: Promise<Page>,
  read: (query: Query) => Promise<Page>,
  query: Query,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<unknown>();
  for (let page = await first; ; ) {
    const items = listOf(page);
    for (const item of items) {
      const id = idOf(item);
      // A list that grows at its start moves earlier items to the next page.
      if (seen.has(id)) continue;
      seen.add(id);
      yield item as Item;
    }
    const next = nextQuery(page, items.length);
    if (next === undefined) return;
    page = await read({ ...query, ...next });
  }
}

/** Every page has exactly one array. */
function listOf(page: unknown): readonly unknown[] {
  return Object.values(page as object).find(Array.isArray) ?? [];
}

function idOf(item: unknown): unknown {
  return isObject(item) ? (item.id ?? item.key ?? item.version ?? item.revision) : item;
}

/** @returns undefined after the last page */
function nextQuery(page: unknown, count: number): Query | undefined {
  const { pagination, next, revision } = page as {
    pagination?: { limit: number; offset: number; total: number };
    next?: number | string | null;
    revision?: number;
  };
  // A page may be empty although there are more.
  if (next) return typeof next === 'number' || 'proposals' in (page as object) ? { before: next } : { after: next };
  if (!pagination || count === 0) return undefined;
  const { limit, total } = pagination;
  const offset = pagination.offset + count;
  // Pages of secrets are all read at the revision of the first one.
  return offset < total ? { limit, offset, revision } : undefined;
}
