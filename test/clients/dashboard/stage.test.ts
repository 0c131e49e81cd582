import { describe, expect, it } from 'vitest';
import { loopbackRedirect } from '#clients/dashboard/src/screens/account/redirect-uri.ts';
import { suggestAccess } from '#clients/dashboard/src/screens/account/suggest-access.ts';
import { foldChecks } from '#clients/dashboard/src/screens/organization/audit/fold-checks.ts';
import { newestEntries } from '#clients/dashboard/src/screens/organization/audit/newest-entries.ts';
import { type Alphabet, alphabets, generate } from '#clients/dashboard/src/secrets/generate.ts';
import {
  continueOn,
  type Stage,
  type Staged,
  touchedKeys,
  withoutApplied,
} from '#clients/dashboard/src/secrets/stage.ts';
import type { AuditEntry } from '#lib/contracts/audit/entries.ts';

const stage: Stage = {
  revision: 17,
  changes: new Map([
    ['UPDATED', { kind: 'set', value: 'mine', base: 3 }],
    ['NEW', { kind: 'set', value: 'mine', base: 0 }],
    ['GONE', { kind: 'delete', base: 2 }],
  ]),
};
const versions = (of: Record<string, number>) => new Map(Object.entries(of));
const untouched = versions({ UPDATED: 3, GONE: 2, FOREIGN: 9 });

describe('a stage on a later revision', () => {
  it('is unchanged if its keys were not changed', () => {
    expect(touchedKeys(stage, untouched)).toEqual([]);
    expect(continueOn(stage, 18, untouched, {})).toEqual({ ...stage, revision: 18 });
  });

  it('lists the keys that others changed, created or deleted', () => {
    expect(touchedKeys(stage, versions({ UPDATED: 4, NEW: 1 }))).toEqual(['GONE', 'NEW', 'UPDATED']);
  });

  it('keeps mine over theirs, and drops mine for theirs', () => {
    const now = versions({ UPDATED: 4, NEW: 1, GONE: 2 });
    const continued = continueOn(stage, 19, now, { UPDATED: 'mine', NEW: 'theirs' });
    expect(continued?.revision).toBe(19);
    expect(continued?.changes.get('UPDATED')).toEqual({ kind: 'set', value: 'mine', base: 4 });
    expect([continued?.changes.has('NEW'), continued?.changes.has('GONE')]).toEqual([false, true]);
  });

  it('keeps nothing without a choice, so no one is overwritten by default', () => {
    expect(continueOn(stage, 19, versions({ UPDATED: 4, NEW: 1, GONE: 3 }), {})).toBeUndefined();
  });

  it('drops the deletion of a key that no longer exists', () => {
    const now = new Map([['UPDATED', 3]]);
    expect(continueOn(stage, 18, now, { GONE: 'mine' })?.changes.has('GONE')).toBe(false);
  });

  it('keeps only what was staged after it was sent', () => {
    expect(withoutApplied(stage, stage)).toBeUndefined();
    const again: Staged = { kind: 'set', value: 'mine again', base: 0 };
    const later: Stage = { ...stage, changes: new Map([...stage.changes, ['NEW', again]]) };
    expect([...(withoutApplied(later, stage)?.changes ?? [])]).toEqual([['NEW', again]]);
  });

  it('is kept as it is for someone who can’t read the keys', () => {
    const blind: Stage = { revision: 1, changes: new Map([['A', { kind: 'set', value: 'x', base: undefined }]]) };
    expect(touchedKeys(blind, new Map())).toEqual([]);
    expect(continueOn(blind, 2, new Map(), {})).toEqual({ ...blind, revision: 2 });
  });
});

describe('the access that is suggested for a token of the command line', () => {
  it.each([
    ['full for the first project of an owner', null, ['owner'], 0, 'full'],
    ['full for that of an admin', null, ['admin'], 0, 'full'],
    ['write for whoever may not create projects', null, ['developer'], 0, 'write'],
    ['write once there is a project', null, ['owner'], 1, 'write'],
    ['write in several organizations', null, ['owner', 'owner'], 0, 'write'],
    ['write for an access that does not exist', 'everything', ['owner'], 1, 'write'],
    ['what was asked for', 'read', ['owner'], 0, 'read'],
    ['names only if that was asked for', 'names', ['owner'], 0, 'names'],
  ] as const)('is %s', async (_, asked, roles, projects, access) => {
    const isFirst = asked === null && access === 'full';
    expect(await suggestAccess(asked, roles, () => Promise.resolve(projects))).toEqual({ access, isFirst });
  });
});

describe('the entries for a download', () => {
  const page = (ids: string, total: number | null, next?: string) => ({
    entries: [...ids].map(id => ({ id }) as AuditEntry),
    pagination: { total },
    next,
  });
  it.each([
    ['are all of them', [page('abcd', 5), page('e', 5)], 'abcde', true],
    ['are each there once if new ones move the pages', [page('abcd', 6), page('cdef', 8)], 'abcdef', true],
    ['are not all if the last page has more than fits', [page('abcd', 7), page('efg', 7)], 'abcdef', false],
    ['are not all if a page is empty before the end', [page('abcd', 7), page('', 7)], 'abcd', false],
    ['continue after an empty page that has a next one', [page('', null, 'x'), page('ab', null)], 'ab', true],
  ] as const)('%s', async (_, pages, ids, isWhole) => {
    const left = [...pages];
    const { entries, ...rest } = await newestEntries(() => Promise.resolve(left.shift() ?? page('', 0)), 6);
    expect([entries.map(({ id }) => id).join(''), rest]).toEqual([ids, { isWhole }]);
    expect(left).toEqual([]);
  });
});

describe('the lines of the audit log', () => {
  it('fold checks against the template, and no comparison', () => {
    const check = 'environment.validated';
    const actions: readonly AuditEntry['action'][] = [check, check, 'secret.compared'];
    const entries = actions.map(action => ({ id: '', action }) as AuditEntry);
    expect(foldChecks(entries)).toEqual([{ entries: entries.slice(0, 2) }, entries[2]]);
  });
});

describe('a generated value', () => {
  it.each(Object.keys(alphabets) as Alphabet[])('has the chosen length and only characters of %s', alphabet => {
    const value = generate(2000, alphabet);
    expect(value).toHaveLength(2000);
    expect(new Set(value)).toEqual(new Set(alphabets[alphabet][1]));
  });
});

describe('the address that the command line listens on', () => {
  it.each(['http://127.0.0.1:4567', 'http://127.0.0.1:4567/callback', 'http://localhost:1/'])('may be %s', address => {
    expect(loopbackRedirect(address)?.port).not.toBe('');
  });

  it.each([
    'http://127.0.0.1',
    'https://127.0.0.1:1',
    'http://127.0.0.1:1@evil.example',
    'http://a@127.0.0.1:1',
    'http://127.0.0.1:99999',
    'http://127.0.0.1:1/?next=//evil.example',
    'http://127.0.0.1:1/#x',
    'http://127.1:80/',
    'http://2130706433:80/',
    ' http://127.0.0.1:1',
    'http://127.0.0.1:1\n',
    'http://localhost.evil.example:1',
    null,
  ])('may not be %j', address => {
    expect(loopbackRedirect(address)).toBeUndefined();
  });
});
