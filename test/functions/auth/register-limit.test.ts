import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { testPassword } from '#test/support/people.ts';

const api = shared(() => startApi({ REGISTER_LIMIT_PER_HOUR: '3' }));

const register = (password = testPassword) =>
  api.post('/auth/register', { email: `${randomUUID()}@example.com`, password });

it('registering is limited per address, even in parallel, and malformed requests do not count', async () => {
  for (let index = 0; index < 5; index += 1) expect((await register('short')).status).toBe(400);

  const answers = await Promise.all(Array.from({ length: 6 }, () => register()));

  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 429, 429, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(59 * 60);
});
