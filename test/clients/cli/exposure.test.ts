import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CredentialExposure, Exposure, SecretReaders } from '#lib/contracts/audit/exposure.ts';
import { at } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { shared } from '#test/support/fixtures.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import type { Person } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { auditEntry, seedAudit } from '#test/support/seed-audit.ts';
import { failure } from './cli.ts';
import { useWorkplace } from './workplace.ts';

const { api, cli, place, owner, variables, tokenOf, holdfast: run, value } = useWorkplace();
const issuer = shared(startIssuer);

async function remove(person: Person): Promise<void> {
  const members = `/members/${owner.organization.id}`;
  const { body } = await expectStatus(api.get(members, owner.session), 200);
  const { id } = body.members.find(({ userId }: { userId: string }) => userId === person.user.id);
  await expectStatus(api.delete(`${members}/${id}`, owner.session), 200);
}

const holdfast = (...words: string[]) => run('exposure', ...words);
const answered = async (...words: string[]) => JSON.parse((await holdfast(...words, '--json')).stdout);

async function asked<T = CredentialExposure>(query: string): Promise<T> {
  return (await expectStatus(api.get(`/audit/${owner.organization.id}/exposure?${query}`, owner.session), 200)).body;
}

const placeOf = ({ project, environment, key }: Exposure) => `${project.slug}/${environment.slug}/${key}`;

/** What a table in a pipe says of an answer whose versions have no gap. */
const rowsOf = ({ exposures }: CredentialExposure) =>
  exposures.map(one => {
    const [first, last] = [one.versions.at(0), one.versions.at(-1)];
    const versions = first === undefined ? 'unknown' : first === last ? `${first}` : `${first}–${last}`;
    return [placeOf(one), one.current ? 'yes' : 'no', versions, one.lastAt, one.firstAt, one.how.join(', ')].join('\t');
  });

const linesOf = (text: string) => text.split('\n').slice(0, -1);

/** A token that has pulled four secrets, one of which was changed since, and one deleted. */
async function leakedToken(): Promise<{ id: string; token: string }> {
  const leaked = await tokenOf(owner, 'read');
  await place.importAll('dev', { CHANGED: value, DELETED: value, KEPT: value });
  await place.importAll('staging', { KEPT: value });
  for (const env of ['dev', 'staging']) await expectStatus(place.pull(env, '', { as: leaked }), 200);
  await place.set('dev', 'CHANGED', `${value}2`);
  await expectStatus(api.delete(place.at('dev', '/DELETED'), owner.session), 200);
  return leaked;
}

describe('holdfast exposure --token', () => {
  it('lists what the service answers: still current secrets first, each with its versions, ways and times', async () => {
    const { id } = await leakedToken();
    const answer = await asked(`tokenId=${id}`);
    expect(answer.exposures).toHaveLength(4);
    const table = await holdfast('--token', id);
    expect([table.code, linesOf(table.stdout)]).toEqual([0, rowsOf(answer)]);
    expect(table.stderr).toBe('Still current: 2 of 4. List them: --format rotate\n');
    expect(linesOf(table.stdout).map(line => line.split('\t')[1])).toEqual(['yes', 'yes', 'no', 'no']);
    expect(await answered('--token', id)).toEqual(answer);
    const period = await answered('--token', id, '--until', '1h');
    expect(period.exposures).toEqual([]);
  });

  it('prints with --format rotate what is still current, one a line, and nothing else', async () => {
    const { id } = await leakedToken();
    const project = place.project.slug;
    const { stdout, stderr } = await holdfast('--token', id, '--format', 'rotate');
    expect(linesOf(stdout).toSorted()).toEqual([`${project}/dev/KEPT`, `${project}/staging/KEPT`]);
    expect(stderr).toBe('');
    for (const env of ['dev', 'staging']) await place.set(env, 'KEPT', `${value}3`);
    const rotated = await holdfast('--token', id, '--format', 'rotate');
    expect([rotated.stdout, rotated.stderr]).toEqual(['', expect.stringMatching(/^None found in the log[^?]*\.\n$/)]);
  });

  it('says that nothing was found, and that the id may be wrong', async () => {
    const none = /^None found in the log, which begins \d.*\. Is the id right\?\n$/;
    expect(await holdfast('--token', randomUUID())).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(none),
    });
  });

  it('never repeats a token that is given instead of its id', async () => {
    const { token } = await tokenOf(owner);
    const ended = await holdfast('--token', token);
    expect(ended).toEqual(failure(2, 'Expected an id'));
    expect(ended.stderr).not.toContain(token);
  });

  it('takes one question, and a format only where it fits', async () => {
    const id = randomUUID();
    for (const words of [
      [],
      ['--token', id, '--person', 'a@example.com'],
      ['--key', 'A', '--format', 'rotate'],
      ['--token', id, '--format', 'rotate', '--json'],
      ['--token', id, '--since', '1h', '--until', '2h'],
      ['--token', id, '--since', '2026-02-31'],
      ['--token', id, '--since', 'yesterday'],
    ]) {
      expect([words, (await holdfast(...words)).code]).toEqual([words, 2]);
    }
  });
});

it('an answer that may list too much is announced on stderr with the reason, also for --format rotate, --json and --quiet', async () => {
  const { id } = await leakedToken();
  const createdAt = new Date(Date.now() - 500 * 86_400_000).toISOString();
  await transact([update(at(organizationRecord, owner.organization.slug), { set: { createdAt } })]);
  const erased = { id: randomUUID(), slug: 'gone' };
  const actor = { id: owner.user.id, email: owner.email, type: 'token', tokenId: id } as const;
  const pulled = auditEntry('secret.bulk_set', Date.now(), { actor, environment: erased, keys: ['LOST'] });
  await seedAudit(owner.organization.id, [pulled]);
  for (const more of [[], ['--format', 'rotate'], ['--json'], ['--quiet']]) {
    const { code, stdout, stderr } = await holdfast('--token', id, ...more);
    expect([code, stdout.includes('KEPT')]).toEqual([0, true]);
    expect(stderr).toContain('This may list more than was seen, because ');
    expect(stderr).toContain(`environments were deleted with their history: ${erased.id}.`);
  }
  expect((await holdfast('--token', id)).stdout).toContain('web-shop/gone/LOST\tno\tunknown\t');
});

describe('holdfast exposure --person and --identity', () => {
  it('ask about people and identities that are gone, by the name that they had', async () => {
    const member = await place.member('admin');
    await place.importAll('dev', { SEEN: value });
    await expectStatus(place.pull('dev', '', { as: member.session }), 200);
    const wanted = identityOf(issuer, { name: 'deploy', access: 'read', role: 'developer' });
    const made = await expectStatus(api.post(`/identities/${owner.organization.id}`, wanted, owner.session), 201);
    const { id: identityId } = made.body.identity;
    const subjectToken = await issuer.token(identityId);
    const exchange = { identityId, organizationSlug: owner.organization.slug, subjectToken };
    const { token } = (await expectStatus(api.post('/auth/exchange', exchange), 201)).body;
    await expectStatus(place.pull('dev', '', { as: { token } }), 200);

    const ask = async () => [
      await answered('--person', member.email.toUpperCase()),
      await answered('--identity', 'deploy'),
      await answered('--identity', identityId),
    ];
    const before = await ask();
    const keys = before.map(({ exposures }) => exposures.map(({ key }: Exposure) => key));
    expect(keys).toEqual(Array(3).fill(['SEEN']));
    await remove(member);
    await expectStatus(api.delete(`/identities/${owner.organization.id}/${identityId}`, owner.session), 200);
    expect(await ask()).toEqual(before);
    expect(before[0]).toEqual(await asked(`userId=${member.user.id}`));
    expect(before[1]).toEqual(await asked(`identityId=${identityId}`));
  });

  it('find a person or an identity whose name is only in the entries of what they did', async () => {
    const [user, identity] = [randomUUID(), randomUUID()];
    const environment = { id: randomUUID(), slug: 'gone' };
    const person = { id: user, email: 'before@example.com', type: 'session' } as const;
    const program = { id: identity, email: null, name: 'before', type: 'identity', tokenId: randomUUID() } as const;
    await seedAudit(owner.organization.id, [
      auditEntry('secret.bulk_set', Date.now(), { actor: person, environment, keys: ['A'] }),
      auditEntry('secret.bulk_set', Date.now(), { actor: program, environment, keys: ['B'] }),
    ]);
    expect((await holdfast('--person', 'before@example.com')).stdout).toMatch(/\/gone\/A\t/);
    expect((await holdfast('--identity', 'before')).stdout).toMatch(/\/gone\/B\t/);
    const unknown = await holdfast('--person', 'never@example.com');
    expect(unknown).toEqual(failure(5, 'has no entry with never@example.com'));
  });

  it('names the candidates if several people have had an address', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const joined = (id: string) => {
      const actor = { id, email: 'shared@example.com', type: 'session' } as const;
      return auditEntry('member.joined', Date.now(), { actor });
    };
    await seedAudit(owner.organization.id, [joined(first), joined(second)]);
    const { code, stderr } = await holdfast('--person', 'shared@example.com');
    expect(code).toBe(2);
    for (const id of [first, second]) expect(stderr).toContain(`\n  ${id}  20`);
    expect((await holdfast('--person', first)).code).toBe(0);
  });
});

it('holdfast exposure --key lists who knows the current value of the environment in use, and whether they may read it today', async () => {
  const admin = await place.member('admin');
  const viewer = await place.member('viewer');
  await place.importAll('dev', { SHARED: value });
  const { id, token } = await tokenOf(admin, 'read');
  await expectStatus(place.pull('dev', '', { as: { token } }), 200);
  await remove(admin);
  const { body } = await api.get(`/projects/${owner.organization.id}/${place.project.slug}`, owner.session);
  const dev: string = body.project.environments.find(({ slug }: { slug: string }) => slug === 'dev').id;
  const answer = await asked<SecretReaders>(`environment=${dev}&key=SHARED`);
  const { code, stdout } = await holdfast('--key', 'SHARED');
  const rows = answer.readers.map(({ actor, tokenIds, firstAt, lastAt, hasAccess }) =>
    [actor.email, hasAccess ? 'yes' : 'no', lastAt, firstAt, tokenIds.join(' ')].join('\t'),
  );
  expect([code, linesOf(stdout)]).toEqual([0, rows]);
  expect(stdout).toContain(`${admin.email}\tno\t`);
  expect(stdout).toContain(id);
  expect(stdout).not.toContain(viewer.email);
  expect(await answered('--key', 'SHARED')).toEqual(answer);
  expect(await answered('--key', 'SHARED', '-e', dev)).toEqual(answer);
  expect((await holdfast('--key', 'ABSENT')).code).toBe(5);
  expect((await holdfast('--key', 'SHARED', '-e', 'nowhere')).code).toBe(5);
});

describe('many exposures', () => {
  const places = Array.from({ length: 8 }, (_, n) => ({ id: randomUUID(), slug: `gone-${n}` }));

  /** @param width of each key */
  async function seed(environments: typeof places, width: number): Promise<string> {
    const tokenId = randomUUID();
    const actor = { id: owner.user.id, email: owner.email, type: 'token', tokenId } as const;
    const entries = environments.map((environment, place) => {
      const keys = Array.from({ length: 1000 }, (_, n) => `K${place}_${n}`.padEnd(width, '_'));
      return auditEntry('secret.bulk_set', Date.now(), { actor, environment, keys });
    });
    await seedAudit(owner.organization.id, entries);
    return tokenId;
  }

  it('are joined from all pages in one document and in one table', async () => {
    const tokenId = await seed(places, 250);
    expect((await asked(`tokenId=${tokenId}`)).next).toBeDefined();
    const { exposures, next } = await answered('--token', tokenId);
    expect([new Set(exposures.map(placeOf)).size, next]).toEqual([8000, undefined]);
    expect(linesOf((await holdfast('--token', tokenId)).stdout)).toHaveLength(8000);
  });

  it.each([80, 120])('go through the pager on a terminal, in columns that fit %i of it', async width => {
    const tokenId = await seed(places.slice(0, 5), 30);
    const seen = join(cli.home, 'seen');
    const env = { ...variables, TERM: 'xterm', PAGER: `cat > ${seen}` };
    const words = ['exposure', '--token', tokenId];
    const { code, stdout } = await cli.converse(words, [], { env, columns: width });
    expect(code).toBe(0);
    expect(stdout).toContain('Still current: 0 of 5000');
    const [header = '', ...rows] = linesOf(stripVTControlCharacters(readFileSync(seen, 'utf8')));
    expect(rows).toHaveLength(5000);
    for (const line of rows) {
      expect(line.length).toBeLessThanOrEqual(width);
      expect(line.slice(header.indexOf('CURRENT') - 2)).toMatch(/^ {2}no {5,}/);
    }
    expect(header.includes('HOW')).toBe(width === 120);
  });
});
