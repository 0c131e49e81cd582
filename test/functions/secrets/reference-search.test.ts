import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, type Caller, startApi } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { seedOwner, seedPerson } from '#test/support/people.ts';
import {
  brokenIn,
  expanded,
  namesIn,
  piecesOf,
  referenceTo,
  type Stored,
  type Templates,
} from '#test/support/reference-rules.ts';
import { join } from '#test/support/sample-requests.ts';

/*
 * Random environments whose values name each other, changed in every way. A slow reading of the rules predicts each
 * answer, and what every pull says afterwards, of the present and of the past.
 */

const environments = Number(process.env.REFERENCE_ENVIRONMENTS ?? 12);

const api = shared(() => startApi({ LOG_LEVEL: 'SILENT', REQUESTS_PER_MINUTE: '-1' }));
const people = shared(async () => {
  const owner = await seedOwner();
  const developer = await seedPerson({ name: 'developer' });
  await join(api, owner, developer, 'developer');
  return { owner, developer };
});

const envs = ['dev', 'production'] as const;
type Env = (typeof envs)[number];

const names = ['A', 'B', 'C', 'D', 'a.b-c', '__proto__', 'K0', 'K1', 'K9'];
const maxBytes = 65_536;
const environmentBytes = 4 * 1024 * 1024;
/** The most that the limit is blurred by for whoever may not read. */
const blurredBytes = 512 * 1024;
const bytesOf = (text: string) => Buffer.byteLength(text);

const name = fc.constantFrom(...names);
const piece = fc.oneof(
  { weight: 5, arbitrary: name.map(referenceTo) },
  {
    weight: 4,
    arbitrary: fc.constantFrom('x', 'é€', '\u0000"\\', '$', '}', '🙂', '\u0024{', '\u0024{}', '\u0024{a b}'),
  },
  { weight: 2, arbitrary: name.map(key => `$${referenceTo(key)}`) },
  { weight: 1, arbitrary: fc.constantFrom('y'.repeat(30_000), referenceTo('NOWHERE')) },
);
const stored: fc.Arbitrary<Stored> = fc.record({
  value: fc.array(piece, { maxLength: 4 }).map(pieces => pieces.join('')),
  expand: fc.boolean(),
});
const puts = fc.uniqueArray(fc.tuple(name, stored), { minLength: 1, maxLength: 5, selector: ([key]) => key });
const plain = fc.constantFrom('one', 'two', 'z'.repeat(20_000)).map(value => ({ value, expand: false }));
/** Keys of which each names the next one, so that some lead too deep. */
const chain = fc.constantFrom(9, 11, 11, 12).map(length =>
  Array.from({ length }, (_, index): [string, Stored] => {
    return [
      `K${index}`,
      index === 0 ? { value: 'end', expand: false } : { value: referenceTo(`K${index - 1}`), expand: true },
    ];
  }),
);
/** A value that names another several times, and is as long as can be, or a byte shorter or longer. */
const full = fc.tuple(fc.constantFrom(-1, 0, 0, 1, 1), fc.integer({ min: 1, max: 4 })).map(([more, times]) => {
  const named = Math.floor((maxBytes + more) / times);
  const rest = maxBytes + more - named * times;
  const puts: [string, Stored][] = [
    ['A', { value: 'z'.repeat(named), expand: false }],
    ['B', { value: referenceTo('A').repeat(times) + 'x'.repeat(rest), expand: true }],
    ['C', { value: referenceTo('B'), expand: true }],
  ];
  return puts.filter(([, { value }]) => bytesOf(value) <= maxBytes);
});

const base = { env: fc.constantFrom(...envs), as: fc.constantFrom('owner', 'owner', 'developer') };
const some = fc.uniqueArray(fc.nat({ max: 20 }), { minLength: 1, maxLength: 4 });
const maybeSome = fc.option(some, { nil: undefined });
const constant = <const T>(content: T) => fc.constant(content);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ...base, kind: constant('set'), put: fc.tuple(name, stored) }) },
  { weight: 2, arbitrary: fc.record({ ...base, kind: constant('set'), put: fc.tuple(name, plain) }) },
  { weight: 3, arbitrary: fc.record({ ...base, kind: constant('bulk'), puts }) },
  { weight: 2, arbitrary: fc.record({ ...base, kind: constant('bulk'), puts: chain }) },
  { weight: 2, arbitrary: fc.record({ ...base, kind: constant('bulk'), puts: full }) },
  { weight: 3, arbitrary: fc.record({ ...base, kind: constant('changes'), puts, gone: fc.nat({ max: 20 }) }) },
  { weight: 2, arbitrary: fc.record({ ...base, kind: constant('delete'), gone: fc.nat({ max: 20 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ ...base, kind: constant('rename'), from: fc.nat({ max: 20 }), follows: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ ...base, kind: constant('propose'), puts }) },
  { weight: 3, arbitrary: fc.record({ ...base, kind: constant('promote'), keys: maybeSome, overwrite: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ ...base, kind: constant('restore'), to: fc.nat({ max: 30 }), keys: maybeSome }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The templates of each revision; the last one is the present. */
type World = Record<Env, Templates[]>;
const presentOf = (world: World, env: Env): Templates => world[env].at(-1) ?? new Map();

/** What a step changes, with how it is asked for; undefined if there is nothing to ask for. */
interface Request {
  env: Env;
  puts: [string, Stored][];
  gone: string[];
  mayRead: boolean;
  send(place: Workplace): Promise<Answer>;
}

const pick = (keys: readonly string[], index: number): string | undefined => keys[index % keys.length];
const someOf = (keys: readonly string[], indices: readonly number[]): string[] => [
  ...new Set(indices.flatMap(index => pick(keys, index) ?? [])),
];
const listed = (all: readonly (readonly [string, Stored])[]) =>
  all.map(([key, { value, expand }]) => ({ key, value, ...(expand && { expand }) }));

function requestOf(given: Step, world: World): Request | undefined {
  const { env } = given;
  const now = presentOf(world, env);
  const keys = [...now.keys()];
  // Promotions, restores and proposals are the owner's here.
  const isOwner = given.as === 'owner' || ['promote', 'restore', 'propose'].includes(given.kind);
  const as: Caller = (isOwner ? people.owner : people.developer).session;
  const common = { env, mayRead: isOwner || env === 'dev' };
  switch (given.kind) {
    case 'set': {
      const [key, { value, expand }] = given.put;
      return {
        ...common,
        puts: [given.put],
        gone: [],
        send: ({ set }) => set(env, key, value, { as, body: { expand } }),
      };
    }
    case 'bulk': {
      const { puts } = given;
      return { ...common, puts, gone: [], send: place => place.importAll(env, listed(puts), { as }) };
    }
    case 'changes': {
      const gone = someOf(keys, [given.gone]);
      const puts = given.puts.filter(([key]) => !gone.includes(key));
      if (puts.length === 0) return undefined;
      return { ...common, puts, gone, send: place => place.change(env, { set: listed(puts), delete: gone }, { as }) };
    }
    case 'delete': {
      const key = pick(keys, given.gone);
      if (key === undefined) return undefined;
      return { ...common, puts: [], gone: [key], send: place => place.remove(env, key, { as }) };
    }
    case 'rename': {
      const key = pick(keys, given.from);
      const value = key === undefined ? undefined : now.get(key);
      if (key === undefined || value === undefined || now.has('RENAMED')) return undefined;
      const followed = [...now].filter(([other, one]) => other !== key && given.follows && namesIn(one).includes(key));
      const puts: [string, Stored][] = [
        ['RENAMED', value],
        ...followed.map(([other, one]): [string, Stored] => [other, renamedIn(one, key)]),
      ];
      return {
        ...common,
        puts,
        gone: [key],
        send: place => place.change(env, { set: listed(puts), delete: [key] }, { as }),
      };
    }
    case 'propose': {
      const { puts } = given;
      const differs = puts.some(([key, one]) => !isSame(now.get(key), one));
      if (!differs) return undefined;
      return { ...common, puts, gone: [], send: place => proposeAndApply(place, env, puts) };
    }
    case 'promote': {
      const from = env === 'dev' ? 'production' : 'dev';
      const source = presentOf(world, from);
      const wanted = given.keys && someOf([...source.keys()], given.keys);
      if (wanted?.length === 0) return undefined;
      const puts = [...source].filter(([key]) => (wanted?.includes(key) ?? true) && (given.overwrite || !now.has(key)));
      const body = { from, to: env, keys: wanted, overwrite: given.overwrite };
      return { ...common, puts, gone: [], send: place => place.promote(body) };
    }
    case 'restore': {
      const revision = given.to % world[env].length;
      const then = world[env][revision] ?? new Map();
      const wanted = given.keys && someOf([...then.keys(), ...keys], given.keys);
      if (wanted?.length === 0) return undefined;
      const isWanted = (key: string) => wanted?.includes(key) ?? true;
      const puts = [...then].filter(([key]) => isWanted(key));
      const gone = keys.filter(key => isWanted(key) && !then.has(key));
      return { ...common, puts, gone, send: place => place.restore(env, { revision, keys: wanted }) };
    }
  }
}

const isSame = (one: Stored | undefined, other: Stored): boolean =>
  one?.value === other.value && one.expand === other.expand;

/** The value with the new name, but for what is literal. */
function renamedIn({ value, expand }: Stored, key: string): Stored {
  const literal = '\u0024{';
  const text = piecesOf(value).map(one => {
    if (typeof one === 'string') return one === literal ? `$${literal}` : one;
    return referenceTo(one.key === key ? 'RENAMED' : one.key);
  });
  return { value: text.join(''), expand };
}

async function proposeAndApply(place: Workplace, env: Env, puts: [string, Stored][]): Promise<Answer> {
  const { session } = place.owner;
  const proposed = await api.post(place.at(env, '/proposals'), { set: listed(puts) }, session);
  if (proposed.status !== 201) return proposed;
  return api.post(place.at(env, `/proposals/${proposed.body.proposal.id}/apply`), undefined, session);
}

/** The codes that an answer may have, and what is there after it was accepted. */
function predict(
  now: Templates,
  { puts, gone, mayRead }: Pick<Request, 'puts' | 'gone' | 'mayRead'>,
): { codes: string[]; after: Templates } {
  // Whoever may not read learns from no answer that a key has their value already.
  const written = puts.filter(([key, one]) => !(mayRead && isSame(now.get(key), one)));
  const after = new Map([...now].filter(([key]) => !gone.includes(key)));
  for (const [key, one] of written) after.set(key, one);
  if (puts.some(([, { value }]) => bytesOf(value) > maxBytes)) return { codes: ['invalid_request'], after };
  const broken = brokenIn(after);
  if (broken?.problem === 'dangling') {
    const isOwn = written.some(([key]) => broken.dangling.includes(key));
    return { codes: [isOwn ? 'reference_not_found' : 'key_referenced'], after };
  }
  if (broken !== undefined) return { codes: [broken.problem], after };
  return { codes: mayRead ? fitting(now, after) : fittingUnseen(after, written), after };
}

/** A reader may not make a value too long. */
function fitting(now: Templates, after: Templates): string[] {
  const before = expanded(now, 2_000_000);
  const sizes = [...expanded(after, 2_000_000)];
  const tooLong = sizes.some(([key, text]) => bytesOf(text) > Math.max(maxBytes, bytesOf(before.get(key) ?? '')));
  if (tooLong) return ['payload_too_large'];
  return totalOf(after) > environmentBytes * 0.95 ? ['ok', 'payload_too_large'] : ['ok'];
}

/** For whoever may not read, each named key counts as 64 KiB. */
function fittingUnseen(after: Templates, written: readonly (readonly [string, Stored])[]): string[] {
  const ownBytes = (text: string) =>
    bytesOf(
      piecesOf(text)
        .filter(one => typeof one === 'string')
        .join(''),
    );
  const isTooLong = ([, one]: readonly [string, Stored]) => {
    const named = namesIn(one).length;
    return named > 0 && ownBytes(one.value) + named * maxBytes > maxBytes;
  };
  if (written.some(isTooLong)) return ['payload_too_large'];
  const changed = new Set(written.map(([key]) => key));
  const dependsOn = (key: string): boolean => changed.has(key) || namesIn(after.get(key) as Stored).some(dependsOn);
  const counted = (key: string): number =>
    namesIn(after.get(key) as Stored).reduce((sum, other) => sum + 1 + counted(other), 0);
  const most = [...after.keys()].filter(dependsOn).reduce((sum, key) => sum + counted(key), 0) * maxBytes;
  const storedBytes = [...after.values()].reduce((sum, { value }) => sum + 6 * bytesOf(value) + 1000, 0);
  return most + storedBytes > environmentBytes - blurredBytes ? ['ok', 'payload_too_large'] : ['ok'];
}

const totalOf = (templates: Templates): number =>
  [...expanded(templates, 8_000_000).values()].reduce((sum, text) => sum + bytesOf(text), 0);

const codeOf = ({ status, body }: Answer): string => (status < 300 ? 'ok' : (body?.error?.code ?? `${status}`));

/** Pulls the present in two ways of three, and now and then the past. @returns the revision */
async function requireSeen(place: Workplace, env: Env, past: readonly Templates[], now: Templates, dice: number) {
  const pull = async (query: string) => {
    const { status, body } = await place.pull(env, query);
    expect([query, status, body?.error]).toEqual([query, 200, undefined]);
    const pulled = body.secrets.map(({ key, value }: { key: string; value: string }) => [key, value]);
    return { values: new Map(pulled), revision: body.revision as number };
  };
  const raw = await pull('?raw=true');
  expect(raw.values).toEqual(new Map([...now].map(([key, { value }]) => [key, value])));
  // Changes of people who may not read can make an environment so large that only parts of it can be pulled.
  const isLarge = (templates: Templates) => totalOf(templates) > environmentBytes * 0.9;
  const keys = [...now.keys()];
  const key = keys[dice % keys.length];
  if (!isLarge(now)) {
    const whole = expanded(now, 8_000_000);
    if (key === undefined || dice % 2 === 0) expect((await pull('')).values).toEqual(whole);
    else {
      const named = await pull(`?keys=${encodeURIComponent(key)}`);
      expect(named.values).toEqual(new Map([[key, whole.get(key)]]));
    }
  }
  const revision = dice % past.length;
  const then = past[revision] ?? new Map();
  if (dice % 3 === 0 && !isLarge(then)) {
    expect((await pull(`?revision=${revision}`)).values).toEqual(expanded(then, 8_000_000));
  }
  return raw.revision;
}

const seen = new Map<string, number>();

describe('any environment whose values name each other', () => {
  it('accepts and refuses changes as the rules say, and pulls what they say', { timeout: 3_600_000 }, async () => {
    const steps = fc.array(fc.record({ given: step, past: fc.nat({ max: 30 }) }), { minLength: 3, maxLength: 9 });
    const property = fc.asyncProperty(steps, async all => {
      const place = await openWorkplace(api, people.owner);
      const world: World = { dev: [new Map()], production: [new Map()] };
      for (const { given, past } of all) {
        const request = requestOf(given, world);
        if (request === undefined) continue;
        const { env } = request;
        const now = presentOf(world, env);
        const { codes, after } = predict(now, request);
        const answer = await request.send(place);
        const code = codeOf(answer);
        seen.set(code, (seen.get(code) ?? 0) + 1);
        expect({ given, code, codes }).toEqual({ given, code: expect.toBeOneOf(codes), codes });
        const isAccepted = code === 'ok';
        const revision = await requireSeen(place, env, world[env], isAccepted ? after : now, past);
        // A change that changes nothing is no revision.
        const isSameAsBefore = isDeepStrictEqual(new Map(now), new Map(after));
        const isExpected = [world[env].length - (isAccepted && !isSameAsBefore ? 0 : 1), world[env].length];
        const mayBe = isAccepted && !request.mayRead ? isExpected : isExpected.slice(0, 1);
        expect({ given, revision }).toEqual({ given, revision: expect.toBeOneOf(mayBe) });
        if (revision === world[env].length) world[env].push(after);
      }
    });
    await fc.assert(property, { numRuns: environments });
    const refusals = ['reference_not_found', 'reference_cycle', 'key_referenced', 'payload_too_large'];
    if (environments >= 100) expect([...seen.keys()]).toEqual(expect.arrayContaining(['ok', ...refusals]));
    if (environments >= 1000) expect([...seen.keys()]).toContain('reference_too_deep');
  });

  it('leaves a consistent table', async () => {
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});

describe('a writer who may not read', () => {
  /** What some of the hidden values are. */
  const right = fc.constantFrom<[string, Stored]>(
    ['A', { value: 'one', expand: false }],
    ['D', { value: referenceTo('A'), expand: true }],
    ['K1', { value: referenceTo('B'), expand: true }],
  );
  const guess = fc.oneof(
    fc.record({ kind: constant('set'), put: right }),
    fc.record({ kind: constant('set'), put: fc.tuple(name, stored) }),
    fc.record({ kind: constant('bulk'), puts }),
    fc.record({ kind: constant('bulk'), puts: chain }),
    fc.record({ kind: constant('changes'), puts, gone: name }),
    fc.record({ kind: constant('delete'), gone: name }),
  );

  type Guess = typeof guess extends fc.Arbitrary<infer G> ? G : never;

  it('gets the same answers whatever the values are, and however large', { timeout: 3_600_000 }, async () => {
    const text = fc.oneof(
      fc.constantFrom('', 'one'),
      fc.string({ maxLength: 20 }).map(one => one.replaceAll('$', '€')),
      fc.integer({ max: 60_000, min: 0 }).map(n => 'h'.repeat(n)),
    );
    // The texts around the names are hidden too, and what is named is not: a `$` before it would make it literal.
    const hidden = fc.record({ plain: fc.tuple(text, text, text), around: fc.tuple(text, text) });
    type Hidden = typeof hidden extends fc.Arbitrary<infer Values> ? Values : never;
    const setUp = async ({ plain: [a, b, c], around: [left, right] }: Hidden) => {
      const place = await openWorkplace(api, people.owner);
      const secrets = [
        { key: 'A', value: a },
        { key: 'B', value: b },
        { key: 'C', value: c },
        { key: 'D', value: `${left.slice(0, 5000)}${referenceTo('A')}`, expand: true },
        { key: 'K1', value: `${referenceTo('B')}${right.slice(0, 500)}`, expand: true },
        { key: 'K2', value: referenceTo('K1'), expand: true },
      ];
      const placed = await place.importAll('production', secrets);
      // Values that are too long together for their owner.
      fc.pre(placed.status === 200);
      const now: Templates = new Map(secrets.map(({ key, value, expand = false }) => [key, { value, expand }]));
      return { place, now };
    };
    const property = fc.asyncProperty(
      hidden,
      hidden,
      fc.array(guess, { minLength: 1, maxLength: 6 }),
      async (...all) => {
        const [one, other, guesses] = all;
        const places = [await setUp(one), await setUp(other)];
        for (const given of guesses) {
          // Near the limit of the environment, the answer depends on what it stores, and on a blur of its own.
          if (places.some(({ now }) => predict(now, { ...changeOf(given), mayRead: false }).codes.length > 1)) continue;
          const answers: unknown[] = [];
          for (const { place } of places) {
            const { status, body } = await blindly(place, given);
            answers.push([status, body?.error?.code, body?.error?.message, body?.error?.details, body?.plan]);
          }
          expect({ given, answer: answers[1] }).toEqual({ given, answer: answers[0] });
        }
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(environments / 4) });
  });

  function changeOf(given: Guess): Pick<Request, 'puts' | 'gone'> {
    const gone = 'gone' in given ? [given.gone] : [];
    const puts = 'puts' in given ? given.puts : 'put' in given ? [given.put] : [];
    return { puts: puts.filter(([key]) => !gone.includes(key)), gone };
  }

  /** Asks for dry runs, which cost nothing and leave nothing, so that somebody could ask for thousands. */
  function blindly(place: Workplace, given: Guess): Promise<Answer> {
    const options = { as: people.developer.session, query: '?dryRun=true' };
    switch (given.kind) {
      case 'set': {
        const [key, { value, expand }] = given.put;
        return place.set('production', key, value, { ...options, body: { expand } });
      }
      case 'bulk':
        return place.importAll('production', listed(given.puts), options);
      case 'changes': {
        const { puts, gone } = changeOf(given);
        return place.change('production', { set: listed(puts), delete: gone }, options);
      }
      case 'delete':
        return place.remove('production', given.gone, options);
    }
  }
});
