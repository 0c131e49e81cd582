import { describe, expect, it } from 'vitest';
import { changesOf, dayOf, expiryField, fieldsOf } from '#clients/dashboard/src/secrets/description-fields.ts';
import { type FilteredKey, fits, readFilter } from '#clients/dashboard/src/secrets/key-filter.ts';

const now = Date.parse('2026-11-27T12:00:00.000Z');
const inDays = (days: number) => new Date(now + days * 24 * 60 * 60 * 1000).toISOString();
const keys: readonly FilteredKey[] = [
  { key: 'PAYMENT_API_KEY', tags: ['payments', 'stripe'], owner: 'ada', dueAt: inDays(20) },
  { key: 'PAYMENT_WEBHOOK_SECRET', tags: ['payments'], owner: 'grace', dueAt: inDays(-2) },
  { key: 'DATABASE_URL', tags: ['storage'], owner: 'ada', dueAt: inDays(200) },
  { key: 'LOG_LEVEL', tags: [], owner: null, dueAt: null },
  { key: 'ONLY_STAGED' },
];
const people = {
  me: 'ada',
  namesOf: (userId: string) => (userId === 'grace' ? ['Grace Hopper', 'hopper@example.com'] : []),
};
const found = (text: string) => keys.filter(key => fits(readFilter(text, now), key, people)).map(({ key }) => key);

describe('the filter of keys', () => {
  it.each([
    ['', ['PAYMENT_API_KEY', 'PAYMENT_WEBHOOK_SECRET', 'DATABASE_URL', 'LOG_LEVEL', 'ONLY_STAGED']],
    ['log, only', ['LOG_LEVEL', 'ONLY_STAGED']],
    ['tag:payments', ['PAYMENT_API_KEY', 'PAYMENT_WEBHOOK_SECRET']],
    ['TAG:Payments tag:stripe', ['PAYMENT_API_KEY']],
    ['tag:pay', []],
    ['tag:payments webhook', ['PAYMENT_WEBHOOK_SECRET']],
    ['owner:me', ['PAYMENT_API_KEY', 'DATABASE_URL']],
    ['owner:nobody', ['LOG_LEVEL', 'ONLY_STAGED']],
    ['owner:hopper@', ['PAYMENT_WEBHOOK_SECRET']],
    ['owner:GRACE', ['PAYMENT_WEBHOOK_SECRET']],
    ['due:30d', ['PAYMENT_API_KEY', 'PAYMENT_WEBHOOK_SECRET']],
    ['due:19', ['PAYMENT_WEBHOOK_SECRET']],
    ['due:overdue', ['PAYMENT_WEBHOOK_SECRET']],
    ['tag:payments owner:me due:30d', ['PAYMENT_API_KEY']],
    // As far as it is typed, a condition hides nothing.
    ['tag: owner: due: log', ['LOG_LEVEL']],
  ])('%j finds the keys that fit every condition and one of the words', (text, expected) => {
    expect(found(text)).toEqual(expected);
    expect(readFilter(text, now).problem).toBeUndefined();
  });

  it.each(['due:soon', 'due:30w', 'due:30d due:x', 'tags:payments'])('says what is wrong with %j', text => {
    expect(readFilter(text, now).problem).toMatch(/due:30d/);
    expect(found(text)).toEqual([]);
  });
});

describe('a description of a key', () => {
  const environments = [{ id: 'dev' }, { id: 'production' }];
  const known = {
    key: 'KEY',
    required: true,
    createdAt: inDays(0),
    description: 'For payments.',
    tags: ['payments'],
    expiresAt: { dev: '2027-01-31T09:26:53.589Z', gone: '2027-01-31T09:26:53.589Z' },
  };
  const filled = {
    description: 'For payments.',
    tags: 'payments',
    [expiryField('dev')]: dayOf(known.expiresAt.dev),
  };

  it('sends only what was edited', () => {
    const edited = { ...filled, owner: 'ada', description: '', maxAgeDays: '90' };
    const unchanged = { ...known, expiresAt: { dev: known.expiresAt.dev } };
    expect(changesOf(fieldsOf(edited, environments, unchanged), unchanged)).toEqual({
      description: null,
      owner: 'ada',
      maxAgeDays: 90,
    });
    expect(changesOf(fieldsOf({ ...filled, tags: 'a, b  a' }, environments, unchanged), unchanged)).toEqual({
      tags: ['a', 'b'],
    });
  });

  it('keeps the time of a date that was not edited, and drops environments that are gone', () => {
    const edited = { ...filled, [expiryField('production')]: '2027-02-01' };
    expect(changesOf(fieldsOf(edited, environments, known), known)).toEqual({
      expiresAt: { dev: known.expiresAt.dev, production: new Date('2027-02-01T00:00').toISOString() },
    });
    expect(changesOf(fieldsOf({ ...filled, [expiryField('dev')]: '' }, environments, known), known)).toEqual({
      expiresAt: null,
    });
  });
});
