// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the service expands them
import { describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { type Answer, codeOf } from '#test/support/api.ts';
import { expireLease, openWorkplace, useWorkplace, type Workplace } from '#test/support/environments.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { brokenIn, expanded, type Stored, type Templates } from '#test/support/reference-rules.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { stalling, stallingIfReached } from '#test/support/stalling.ts';

/*
 * Two changes that are each allowed, but not both: one of them stalls before each of its AWS calls in turn, until the
 * other is over. Whichever is first, no key may be left that names a missing one, itself, or too much.
 */

const { api, owner, place } = useWorkplace(startObservedApi);

type Headers = Record<string, string>;
type Send = (place: Workplace, headers?: Headers) => Promise<Answer>;

const many = (value: string, expand = false) =>
  Array.from({ length: 60 }, (_, index) => ({ key: `K${index}`, value, ...(expand && { expand }) }));
const manyKeys = many('').map(({ key }) => key);
const naming = (key: string, value: string) => ({ key, value, expand: true });
const set =
  (key: string, value: string, expand = true): Send =>
  (here, headers = {}) =>
    here.set('dev', key, value, { headers, body: { expand } });
const remove =
  (key: string): Send =>
  (here, headers = {}) =>
    here.remove('dev', key, { headers });
const importing =
  (secrets: object): Send =>
  (here, headers = {}) =>
    here.importAll('dev', secrets, { headers });
const bulkDelete =
  (keys: readonly string[]): Send =>
  (here, headers = {}) =>
    here.bulkDelete('dev', keys, { headers });

/** What the environment holds; it must be what its changes may leave. */
async function requireSound(here: Workplace, env = 'dev'): Promise<void> {
  const { body, status } = await here.pull(env, '?raw=true');
  expect(status).toBe(200);
  const stored: Templates = new Map(
    body.secrets.map(({ key, value, expand }: Stored & { key: string }) => [key, { value, expand: expand === true }]),
  );
  expect(brokenIn(stored)).toBeUndefined();
  const values = new Map(Object.entries(await here.values(env)));
  expect(values).toEqual(expanded(stored, 100_000));
  const expanding = [...stored.values()].filter(({ expand }) => expand).length;
  const state = await find(at(environmentStateRecord, here.pathOf(env)));
  expect(state?.expandingKeys ?? 0).toBe(expanding);
}

interface Race {
  /** Sets up what both changes find. */
  before: (place: Workplace) => Promise<unknown>;
  first: Send;
  second: Send;
  /** The codes of both, the one that stalls first. */
  allowed: string[];
}

async function requireSafe({ before, first, second, allowed }: Race): Promise<void> {
  const seen = new Set<string>();
  let isOver = false;
  for (let position = 1; !isOver; position += 1) {
    const here = await openWorkplace(api, owner);
    await before(here);
    isOver = true;
    let other: Answer | undefined;
    const answer = await stallingIfReached(
      call => call.position === position,
      headers => first(here, headers),
      async () => {
        isOver = false;
        // Whoever finds a large change in progress would wait until it has been silent for some seconds.
        await expireLease(here, 'dev');
        other = await second(here);
      },
    );
    other ??= await second(here);
    await requireSound(here);
    // On a busy machine, a large change may run out of time.
    if (answer.status === 503 || other.status === 503) continue;
    const codes = `${codeOf(answer)}, ${codeOf(other)}`;
    expect({ position, codes, allowed }).toEqual({ position, codes: expect.toBeOneOf(allowed), allowed });
    seen.add(codes);
  }
  // Both orders occurred, or else nothing was raced.
  expect([...seen].toSorted()).toEqual(allowed.toSorted());
}

const plain = { A: 'a', B: 'b' };
const withPlain = (here: Workplace) => expectStatus(here.importAll('dev', plain), 200);
const chainOf = (prefix: string, length: number, end: string) =>
  Array.from({ length }, (_, index) => {
    return naming(`${prefix}${index}`, index === 0 ? end : `\${${prefix}${index - 1}}`);
  });

const races: [string, Race][] = [
  [
    'a key is named while it is deleted',
    {
      before: withPlain,
      first: set('A', '${B}'),
      second: remove('B'),
      allowed: ['422 reference_not_found, 200 ok', '200 ok, 409 key_referenced'],
    },
  ],
  [
    'a key is deleted while it is named',
    {
      before: withPlain,
      first: remove('B'),
      second: set('A', '${B}'),
      allowed: ['409 key_referenced, 200 ok', '200 ok, 422 reference_not_found'],
    },
  ],
  [
    'two keys come to name each other',
    {
      before: withPlain,
      first: set('A', '${B}'),
      second: set('B', '${A}'),
      allowed: ['422 reference_cycle, 200 ok', '200 ok, 422 reference_cycle'],
    },
  ],
  [
    'sixty keys come to name one that is deleted',
    {
      before: withPlain,
      first: importing(many('${B}', true)),
      second: remove('B'),
      allowed: ['422 reference_not_found, 200 ok', '200 ok, 409 key_referenced'],
    },
  ],
  [
    'a key comes to name one of sixty that are deleted',
    {
      before: here => expectStatus(here.importAll('dev', many('x')), 200),
      first: set('A', '${K7}'),
      second: bulkDelete(manyKeys),
      allowed: ['422 reference_not_found, 200 ok', '201 ok, 409 key_referenced'],
    },
  ],
  [
    'sixty keys are deleted while one comes to name one of them',
    {
      before: here => expectStatus(here.importAll('dev', many('x')), 200),
      first: bulkDelete(manyKeys),
      second: set('A', '${K7}'),
      allowed: ['409 key_referenced, 201 ok', '200 ok, 422 reference_not_found'],
    },
  ],
  [
    'sixty keys come to name one that comes to name one of them',
    {
      before: here => expectStatus(here.importAll('dev', [...many('x'), { key: 'B', value: 'b' }]), 200),
      first: importing(many('${B}', true)),
      second: set('B', '${K7}'),
      allowed: ['422 reference_cycle, 200 ok', '200 ok, 422 reference_cycle'],
    },
  ],
  [
    'two chains are joined while one of them grows',
    {
      before: here => {
        const secrets = [
          { key: 'A', value: 'a' },
          { key: 'B', value: 'b' },
          { key: 'C', value: 'c' },
          ...chainOf('LOWER', 4, '${B}'),
          ...chainOf('UPPER', 5, '${A}'),
        ];
        return expectStatus(here.importAll('dev', secrets), 200);
      },
      first: set('A', '${LOWER3}'),
      second: set('B', '${C}'),
      allowed: ['422 reference_too_deep, 200 ok', '200 ok, 422 reference_too_deep'],
    },
  ],
  [
    'a value is doubled while it grows',
    {
      before: withPlain,
      first: set('A', '${B}${B}'),
      second: set('B', 'x'.repeat(40_000), false),
      allowed: ['413 payload_too_large, 200 ok', '200 ok, 413 payload_too_large'],
    },
  ],
  [
    'a restore brings back a name while its key is deleted',
    {
      before: async here => {
        await expectStatus(here.importAll('dev', [naming('A', '${B}'), { key: 'B', value: 'b' }]), 200);
        await expectStatus(here.set('dev', 'A', 'plain'), 200);
      },
      first: (here, headers = {}) => here.restore('dev', { revision: 1, keys: ['A'] }, { headers }),
      second: remove('B'),
      allowed: ['422 reference_not_found, 200 ok', '200 ok, 409 key_referenced'],
    },
  ],
  [
    'a promotion brings a name while its key is deleted',
    {
      before: async here => {
        await withPlain(here);
        await expectStatus(here.importAll('staging', [naming('A', '${B}'), { key: 'B', value: 'other' }]), 200);
      },
      first: (here, headers = {}) =>
        here.promote({ from: 'staging', to: 'dev', keys: ['A'], overwrite: true }, { headers }),
      second: remove('B'),
      allowed: ['422 reference_not_found, 200 ok', '200 ok, 409 key_referenced'],
    },
  ],
  [
    'a proposal that names a key is applied while it is deleted',
    {
      before: async here => {
        await withPlain(here);
        await expectStatus(api.post(here.at('dev', '/proposals'), { set: [naming('C', '${B}')] }, owner.session), 201);
      },
      first: async (here, headers = {}) => {
        const { body } = await api.get(here.at('dev', '/proposals'), owner.session);
        const path = here.at('dev', `/proposals/${body.proposals[0].id}/apply`);
        return api.post(path, undefined, owner.session, headers);
      },
      second: remove('B'),
      allowed: ['422 reference_not_found, 200 ok', '200 ok, 409 key_referenced'],
    },
  ],
];

describe('of two changes at once', () => {
  it.each(races)('%s: only one is made', (_, race) => requireSafe(race));
});

/** Sends the request, whose process dies after each of its calls in turn, and then looks at what is left. */
async function dyingEverywhere(
  before: (here: Workplace) => Promise<unknown>,
  send: (here: Workplace, headers: Headers) => Promise<Answer>,
  afterwards: (here: Workplace, isMade: boolean) => Promise<void>,
): Promise<void> {
  const seen = new Set<boolean>();
  for (let position = 5; ; position += 1) {
    const here = await openWorkplace(api, owner);
    await before(here);
    const { revision } = (await here.pull('dev')).body;
    const { status } = await withFault({ kind: 'dies-after', position }, headers => send(here, headers));
    await requireSound(here);
    const isMade = (await here.pull('dev')).body.revision > revision;
    seen.add(isMade);
    await expireLease(here, 'dev');
    await afterwards(here, isMade);
    await requireSound(here);
    if (status < 300) break;
  }
  expect([...seen].toSorted()).toEqual([false, true]);
}

describe('a large change that dies', () => {
  it('and sets names leaves either all of them, which keep their key, or none', () =>
    dyingEverywhere(
      withPlain,
      (here, headers) => here.importAll('dev', many('${B}', true), { headers }),
      async (here, isMade) => {
        expect(codeOf(await here.remove('dev', 'B'))).toBe(isMade ? '409 key_referenced' : '200 ok');
      },
    ));

  it('and makes names plain is undone together with what they name', () =>
    dyingEverywhere(
      here => expectStatus(here.importAll('dev', [...many('${B}', true), { key: 'B', value: 'b' }]), 200),
      (here, headers) => here.importAll('dev', many('plain'), { headers }),
      async (here, isMade) => {
        expect(codeOf(await here.remove('dev', 'B'))).toBe(isMade ? '200 ok' : '409 key_referenced');
      },
    ));

  it('and deletes keys leaves either all of them, which can be named, or none', () =>
    dyingEverywhere(
      here => expectStatus(here.importAll('dev', many('x')), 200),
      (here, headers) => here.bulkDelete('dev', manyKeys, { headers }),
      async (here, isMade) => {
        expect(codeOf(await set('A', '${K7}')(here))).toBe(isMade ? '422 reference_not_found' : '201 ok');
      },
    ));
});

const isCommit = ({ operation }: { operation: string }) => operation.startsWith('Transact');

describe('a change that names a key', () => {
  it('and stalls during a rotation of the data key keeps its names, as do those that were there', async () => {
    await expectStatus(place.importAll('dev', [naming('OLD', 'old ${B}'), { key: 'B', value: 'b' }]), 200);

    const answer = await stalling(
      isCommit,
      headers => set('A', '${OLD}')(place, headers),
      async () => {
        await expectStatus(place.rotateKey(), 202);
        await place.whenRotated();
      },
    );

    expect(codeOf(answer)).toBe('201 ok');
    await requireSound(place);
    expect(await place.values('dev')).toEqual({ A: 'old b', B: 'b', OLD: 'old b' });
    expect(await place.values('dev', '?revision=1')).toEqual({ B: 'b', OLD: 'old b' });
    expect(codeOf(await place.remove('dev', 'B'))).toBe('409 key_referenced');
  });

  it('and stalls while its environment is deleted is not made, and those that were there come back with it', async () => {
    await expectStatus(place.importAll('dev', [naming('OLD', 'old ${B}'), { key: 'B', value: 'b' }]), 200);
    const id = place.environmentId('dev');

    const answer = await stalling(
      isCommit,
      headers => set('A', '${OLD}')(place, headers),
      () => expectStatus(api.delete(`${place.projectPath}/environments/dev?keepDays=7`, owner.session), 200),
    );

    expect(codeOf(answer)).toBe('404 environment_not_found');
    await expectStatus(place.rotateKey(), 202);
    await place.whenRotated();
    await expectStatus(api.post(`/deleted/${owner.organization.id}/${id}/restore`, undefined, owner.session), 200);
    await requireSound(place);
    expect(await place.values('dev')).toEqual({ B: 'b', OLD: 'old b' });
    expect(codeOf(await place.remove('dev', 'B'))).toBe('409 key_referenced');
  });
});

it('leaves a consistent table', async () => {
  expect(violationsOf(await scanTable())).toEqual([]);
});
