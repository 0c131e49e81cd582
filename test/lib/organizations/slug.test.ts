import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Slug } from '#lib/contracts/fields/text.ts';
import { ApiError } from '#lib/core/errors.ts';
import { withFreeSlug } from '#lib/organizations/new-organization.ts';
import { slugFromName, withSuffix } from '#lib/organizations/slug.ts';
import { withDeadline } from '#lib/table/retry.ts';

describe('slugFromName', () => {
  it.each([
    ['Analytical Engines', 'analytical-engines'],
    ["Ada's organization", 'adas-organization'],
    ['  --Web__Shop!! 2 ', 'web-shop-2'],
    ['Ärger & Größe', 'arger-grosse'],
    ['Łódź Œuvre Þing', 'lodz-oeuvre-thing'],
    ['日本', 'unnamed'],
    ['---', 'unnamed'],
    ['ﬁne ２', 'fine-2'],
  ])('derives from %j the slug %j', (name, slug) => {
    expect(slugFromName(name)).toBe(slug);
  });

  it('cuts a long name without leaving a trailing hyphen', () => {
    expect(slugFromName(`${'a'.repeat(47)} b`)).toBe('a'.repeat(47));
  });

  it('derives a valid slug from any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), name => {
        expect(Slug.safeParse(slugFromName(name)).success).toBe(true);
      }),
    );
  });
});

describe('withSuffix', () => {
  it('returns a different valid slug each time, starting with the given one', () => {
    const made = Array.from({ length: 50 }, () => withSuffix('web-shop'));

    expect(new Set(made).size).toBe(50);
    for (const slug of made) expect(slug).toMatch(/^web-shop-[a-z0-9]{6}$/);
  });

  it('stays valid at the maximum length', () => {
    for (const slug of ['a'.repeat(48), `${'a'.repeat(40)}-bcdefgh`]) {
      expect(Slug.safeParse(withSuffix(slug)).success).toBe(true);
    }
  });
});

it('the search for a free slug stops when its time is used up', async () => {
  const tried: string[] = [];
  const taken = (slug: string) => {
    tried.push(slug);
    return Promise.reject(new ApiError('slug_taken', `The slug ${slug} is taken.`));
  };

  await expect(withDeadline(() => withFreeSlug({ name: 'Acme' }, taken), 50)).rejects.toMatchObject({
    code: 'temporarily_unavailable',
  });
  expect(tried[0]).toBe('acme');
  expect(tried.slice(1).every(slug => /^acme-[a-z0-9]{6}$/.test(slug))).toBe(true);
});
