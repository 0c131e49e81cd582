import { describe, expect, it } from 'vitest';
import type { Exported, SourceFile } from '#clients/cli/src/import/exported.ts';
import { type PlaceMap, placeValues } from '#clients/cli/src/import/placing.ts';
import { settle } from '#clients/cli/src/import/settle.ts';
import type { SourceName } from '#clients/cli/src/import/source.ts';
import { sources } from '#clients/cli/src/import/sources/all-sources.ts';
import { readYaml } from '#clients/cli/src/yaml-fields.ts';
import { expansionOf } from '#lib/contracts/fields/references.ts';

/** What each environment gets of the files, which have settings of their own. */
async function settled(source: SourceName, contents: Record<string, unknown>, map: PlaceMap = new Map()) {
  const exported: Exported = { values: [], refused: [], left: [] };
  const files = Object.entries(contents).map(
    ([name, content]): SourceFile => ({ name, text: JSON.stringify(content) }),
  );
  sources[source].read(files, exported, readYaml);
  const destinations = await placeValues(exported, map, async member => `own-${member}`);
  const sets = Object.fromEntries(
    destinations.map(one => [`${one.project}/${one.environment}`, settle(one, exported)]),
  );
  const refused = exported.refused.map(({ place, key, reason }) => `${place}: ${key} ${reason}`);
  return { sets, refused, left: exported.left };
}

const inProject = (config: string, secrets: object) => ({
  DOPPLER_PROJECT: { computed: 'web' },
  DOPPLER_CONFIG: { computed: config },
  ...secrets,
});
const raw = (template: string, computed: string | null = 'now') => ({ raw: template, computed });
const expanding = (value: string) => ({ value, expand: true });

describe('references', () => {
  it('are declared where they stay inside the environment, by whatever name', async () => {
    const prd = {
      PW: raw('p'),
      URL: raw('x:\u0024{PW}@\u0024{prd.PW}/\u0024{web.prd.PW}'),
      LITERAL: raw('\u0024{HOME} \u0024{a b} $'),
      MIXED: raw('\u0024{PW} \u0024{HOME} \u0024{a b} $\u0024{}'),
    };
    const { sets, refused, left } = await settled('doppler', { 'a.json': inProject('prd', prd) });
    expect(sets).toEqual({
      'web/prd': {
        PW: 'now',
        URL: expanding('x:\u0024{PW}@\u0024{PW}/\u0024{PW}'),
        LITERAL: '\u0024{HOME} \u0024{a b} $',
        MIXED: expanding('\u0024{PW} $\u0024{HOME} $\u0024{a b} $$\u0024{}'),
      },
    });
    expect([refused, left]).toEqual([[], []]);
    const mixed = expansionOf(
      new Map([
        ['PW', { value: 'p', expand: false }],
        ['MIXED', { value: '\u0024{PW} $\u0024{HOME} $\u0024{a b} $$\u0024{}', expand: true }],
      ]),
    );
    expect(mixed('MIXED')).toBe('p \u0024{HOME} \u0024{a b} $\u0024{}');
  });

  it('that leave it become the value of today, or are refused by name', async () => {
    const stg = { PW: raw('s') };
    const prd = { A: raw('\u0024{stg.PW}', 's'), B: raw('\u0024{api.prd.KEY}', null), C: raw('\u0024{prd.GONE}', '-') };
    const { sets, refused, left } = await settled('doppler', {
      'a.json': inProject('prd', prd),
      'b.json': inProject('stg', stg),
    });
    expect(sets).toEqual({ 'web/prd': { A: 's', C: '-' }, 'web/stg': { PW: 'now' } });
    expect(refused).toEqual(['web/prd: B names \u0024{api.prd.KEY}, which is outside of its environment']);
    expect(left).toEqual([
      'web/prd: the references of A, whose present value is imported',
      'web/prd: the references of C, whose present value is imported',
    ]);
  });

  it('lead to another place of the source if both go to one environment', async () => {
    const secrets = [
      { key: 'PW', value: 'p', environment: 'prod', secretPath: '/db' },
      { key: 'URL', value: '\u0024{prod.db.PW}', environment: 'prod', secretPath: '/' },
      { key: 'FAR', value: '\u0024{prod.web.PW}', environment: 'prod', secretPath: '/' },
      { key: 'OWN', value: '\u0024{prod.URL}', environment: 'prod', secretPath: '/' },
    ];
    const target = { project: 'shop', environment: 'live' };
    const map = new Map([
      ['prod', target],
      ['prod/db', target],
    ]);
    const { sets, refused } = await settled('infisical', { 'a.json': { secrets } }, map);
    const url = expanding('\u0024{PW}');
    expect(sets).toEqual({ 'shop/live': { PW: 'p', URL: url, OWN: expanding('\u0024{URL}') } });
    expect(refused).toEqual(['prod: FAR names \u0024{prod.web.PW}, which is outside of its environment']);
  });

  it('take the name of the target for a file that names no environment', async () => {
    const secrets = [
      { key: 'PW', value: 'p' },
      { key: 'URL', value: '\u0024{own-environment.PW}' },
      { key: 'OTHER', value: '\u0024{dev.PW}' },
    ];
    const { sets, refused } = await settled('infisical', { 'a.json': secrets });
    expect(sets).toEqual({ 'own-project/own-environment': { PW: 'p', URL: expanding('\u0024{PW}') } });
    expect(refused).toHaveLength(1);
  });

  it('that can’t be declared are refused: circles, long ways, a $ in front, and what names a refused value', async () => {
    const way = Array.from({ length: 14 }, (_, index) => ({ key: `W${index}`, value: `\u0024{W${index + 1}}` }));
    const secrets = [
      ...way,
      { key: 'W14', value: 'end' },
      { key: 'A', value: '\u0024{B}' },
      { key: 'B', value: '\u0024{A}' },
      { key: 'C', value: '\u0024{A}' },
      { key: 'PRICE', value: '$\u0024{W14}' },
      { key: 'TWICE', value: '1' },
      { key: 'TWICE', value: '1' },
      { key: 'D', value: '\u0024{TWICE}' },
      { key: 'E', value: '\u0024{D}' },
    ];
    const { sets, refused } = await settled('infisical', { 'a.json': secrets });
    const kept = way.slice(4).map(({ key, value }) => [key, expanding(value)] as const);
    expect(sets['own-project/own-environment']).toEqual({ ...Object.fromEntries(kept), W14: 'end' });
    const reasons = refused.map(line => line.replace('a.json: ', ''));
    expect(reasons).toEqual(
      expect.arrayContaining([
        'TWICE is there twice',
        'A names itself, directly or through others',
        'PRICE has a $ in front of a reference',
        'D names TWICE, which is not imported',
        'E names D, which is not imported',
        'W3 names others through more than 10 keys',
      ]),
    );
    expect(reasons.map(line => line.split(' ')[0]).toSorted()).toEqual([
      'A',
      'B',
      'C',
      'D',
      'E',
      'PRICE',
      'TWICE',
      'TWICE',
      'W0',
      'W1',
      'W2',
      'W3',
    ]);
  });
});

describe('places', () => {
  const prd = inProject('prd', { A: raw('1') });

  it('follow the map, and are left out where it says null', async () => {
    const map: PlaceMap = new Map([
      ['web/prd', { project: 'shop', environment: 'live' }],
      ['web/dev', null],
    ]);
    const dev = inProject('dev', { A: raw('1'), B: { computed: null, note: 'x' } });
    const { sets, refused, left } = await settled('doppler', { 'a.json': prd, 'b.json': dev }, map);
    expect([Object.keys(sets), refused, left]).toEqual([['shop/live'], [], []]);
    const none = inProject('dev', { B: { computed: null } });
    expect((await settled('doppler', { 'a.json': prd, 'b.json': none }, map)).refused).toEqual([]);
  });

  it('are never mixed unless the map says so', async () => {
    const files = { 'a.json': { A: '1' }, 'b.json': { B: '1' } };
    await expect(settled('chamber', files)).rejects.toThrow('own-project/own-environment: a.json, b.json');
    const target = { project: 'shop', environment: 'live' };
    const map = new Map(Object.keys(files).map(name => [name, target]));
    expect((await settled('chamber', files, map)).sets).toEqual({ 'shop/live': { A: '1', B: '1' } });
    const similar = {
      'a.json': inProject('dev_ada', { A: raw('1') }),
      'b.json': inProject('dev-ada', { B: raw('1') }),
    };
    await expect(settled('doppler', similar)).rejects.toThrow('web/dev-ada: web/dev_ada, web/dev-ada');
  });

  it('that the map misspells are an error', async () => {
    const map: PlaceMap = new Map([['web/prod', null]]);
    await expect(settled('doppler', { 'a.json': prd }, map)).rejects.toThrow('"web/prod", which is not in the export');
  });

  it('become slugs', async () => {
    const item = (title: string) => ({ title, vault: { name: 'Küche & Co.' }, fields: [{ label: 'A', value: '1' }] });
    expect(Object.keys((await settled('1password', { 'a.json': item('Live (EU)') })).sets)).toEqual([
      'kuche-co/live-eu',
    ]);
    await expect(settled('1password', { 'a.json': item('日本') })).rejects.toThrow('"Küche & Co./日本"');
  });
});

describe('values', () => {
  it('are refused by name if they are too long, malformed or have no key of this service', async () => {
    const content = {
      'web-shop': '1',
      '1ST': '1',
      '': '1',
      'a b': '1',
      LONG: 'x'.repeat(65_537),
      FITS: 'é'.repeat(32_768),
      HALF: '\ud800',
      __PROTO__: 'x',
    };
    const { sets, refused } = await settled('vault', { 'a.json': { data: content } });
    expect(Object.keys(sets['own-project/own-environment'] ?? {})).toEqual(['web-shop', 'FITS', '__PROTO__']);
    expect(refused.map(line => line.replace('a.json: ', '').slice(0, 12))).toEqual([
      '1ST is not a',
      ' is not a ke',
      'a b is not a',
      'LONG must ha',
      'HALF must be',
    ]);
  });
});
