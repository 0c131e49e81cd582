import { writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { execute, type Request, type Table } from './protocol.ts';
import { type Bounds, keeping, keepingBounds, longBounds, quickBounds, search } from './search.ts';

/* `npm run proof -- search-protocol` (SEARCH=all) searches a larger space and takes minutes. */
const everything = process.env.SEARCH === 'all';
const maximumStates = everything ? 6_000_000 : 400_000;

function searched(bounds: Bounds) {
  const startedAt = performance.now();
  const result = search(bounds, maximumStates);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  if (everything) {
    const findings = result.findings.length;
    writeSync(1, `search: ${bounds.name}: ${result.states} states, ${seconds} s, ${findings} findings\n`);
  }
  return result;
}

describe('the write protocol', () => {
  const all = [...Object.values(quickBounds), ...Object.values(keepingBounds), ...(everything ? longBounds : [])];
  it.each(all)('keeps its promises in every state that $name can reach', { timeout: 1_200_000 }, bounds => {
    const { findings, isComplete, states } = searched(bounds);
    expect(findings).toEqual([]);
    expect(isComplete).toBe(true);
    expect(states).toBeGreaterThan(500);
  });
});

describe('a search of a protocol without one of its conditions', () => {
  const { largeAndSmall, smallAndSmall, largeAndRotation, setAndDeleted, largeDeletion, deletionAndLarge } =
    quickBounds;
  const withCopiesOf = (table: Table, after: Table | undefined) => after && { ...after, copies: table.copies };

  /** A protocol whose requests of this kind have another effect. */
  const flawed =
    <K extends Request['kind']>(kind: K, effect: (table: Table, request: Request & { kind: K }) => Table | undefined) =>
    (table: Table, request: Request) =>
      request.kind === kind ? effect(table, request as Request & { kind: K }) : undefined;

  it.each([
    {
      lacks: 'the check of the token in every step',
      bounds: largeAndSmall,
      flaw: flawed('step', (table, request) =>
        withCopiesOf(table, execute({ ...table, copies: [request.fence, request.fence] }, request)),
      ),
    },
    {
      lacks: 'a rise of the copies with every takeover and undo',
      bounds: largeAndSmall,
      flaw: flawed('raise lease', (table, request) => withCopiesOf(table, execute(table, request))),
    },
    {
      lacks: 'a rise of the token after a small change without an answer',
      bounds: smallAndSmall,
      flaw: flawed('raise state', table => table),
    },
    {
      lacks: 'a rise of the token with every small change',
      bounds: smallAndSmall,
      flaw: flawed('commit small', (table, request) => {
        const after = execute(table, request);
        return after && { ...after, fence: table.fence };
      }),
    },
    {
      lacks: 'a rise of the token with a key rotation',
      bounds: largeAndRotation,
      flaw: (table: Table, request: Request) => {
        const keyVersion = 'keyVersion' in request ? request.keyVersion : undefined;
        return keyVersion === undefined ? undefined : { ...table, keyVersion };
      },
    },
    {
      lacks: 'the condition that a new key’s version is new',
      bounds: setAndDeleted,
      flaw: flawed('commit small', (table, request) => {
        const expected = Object.entries(request.expected).filter(([item]) => !item.includes('#'));
        return execute(table, { ...request, expected: Object.fromEntries(expected) });
      }),
    },
    {
      lacks: 'the condition that what is moved is the very head that was read',
      bounds: largeDeletion,
      flaw: flawed('move', (table, request) =>
        execute({ ...table, heads: { ...table.heads, ...request.heads } }, request),
      ),
    },
    {
      lacks: 'the tombstone of a deletion that an undo restores',
      bounds: deletionAndLarge,
      flaw: flawed('step', (table, request) => {
        const after = execute(table, request);
        return after && { ...after, tombstones: {} };
      }),
    },
  ])('finds what goes wrong without $lacks', ({ bounds, flaw }) => {
    const { findings } = search({ ...bounds, flaw }, maximumStates);
    expect(findings.length).toBeGreaterThan(0);
    expect(findings[0]?.steps.length).toBeGreaterThan(2);
  });

  it.each([
    {
      lacks: 'the comparison of the revision and digest',
      bounds: keepingBounds.twoSmall,
      rules: { ...keeping, isUsed: () => true },
    },
    {
      lacks: 'the rule that all ciphertexts are under the state’s data key',
      bounds: keepingBounds.smallAndRotation,
      rules: { ...keeping, isKept: ({ pending }: Table) => pending === null },
    },
  ])('finds a stale snapshot without $lacks', ({ bounds, rules }) => {
    const { findings } = search({ ...bounds, keeping: rules }, maximumStates);
    expect(findings.map(({ what }) => what)).toContain('a kept snapshot differs from the table');
  });
});
