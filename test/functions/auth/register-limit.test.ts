import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, startApi } from '#test/support/api.ts';
import { testPassword } from '#test/support/people.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi({ REGISTER_LIMIT_PER_HOUR: '3' });
});
afterAll(() => api.stop());

const register = (password = testPassword) =>
  api.post('/auth/register', { email: `${randomUUID()}@example.com`, password });

it('registering is limited per address, even in parallel, and malformed requests do not count', async () => {
  for (let index = 0; index < 5; index += 1) expect((await register('short')).status).toBe(400);

  const answers = await Promise.all(Array.from({ length: 6 }, () => register()));

  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 429, 429, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(59 * 60);
});
