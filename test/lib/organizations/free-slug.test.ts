import { expect, it } from 'vitest';
import { ApiError } from '#lib/core/errors.ts';
import { withFreeSlug } from '#lib/organizations/new-organization.ts';
import { withDeadline } from '#lib/table/retry.ts';

it('stops looking for a free slug when its time is used up', async () => {
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
