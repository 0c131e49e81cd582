import { describe, expect, it } from 'vitest';
import { loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { type Answer, type Api, startApi } from '../support/api.ts';
import { expectedOf, type Row, rows } from './verdicts.ts';
import type { Headers, World } from './world.ts';

/** No workers, so nothing changes between requests. On a slow machine, sessions must stay fresh for over 10 minutes. */
export const startWithoutWorkers = (exceptions: readonly string[] = []): Promise<Api> =>
  startApi({ STEP_UP_FRESH_SECONDS: '7200' }, name =>
    name.area === 'workers' && !exceptions.includes(name.name)
      ? Promise.resolve(() => ({ batchItemFailures: [] }))
      : loadFromFunctions(name),
  );

export const verdictOf = ({ status, body }: Answer): string =>
  status < 300 ? 'ok' : (body?.error?.code ?? `status ${status}`);

/** A test for each row, in which every caller asks. @param others this world's other verdicts, by route and caller */
export function everyVerdict(
  running: () => { api: Api; world: World },
  others: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): void {
  async function ask({ route, request }: Row, headers: Headers): Promise<string> {
    const { api, world } = running();
    const method = route.split(' ')[0] as string;
    const { path, body } = request(world);
    const verdict = verdictOf(await api.call(method, path, { body, headers: { ...headers } }));
    if (verdict === 'ok' && method !== 'GET') await world.restore();
    return verdict;
  }

  describe('every caller gets the verdict of the specification’s tables on', () => {
    it.each(rows.map(row => [row.route, row] as const))('%s', async (_, row) => {
      const actual: Record<string, string> = {};
      const callers = Object.entries(running().world.callers);
      const askAs = async ([name, headers]: [string, Headers]) => {
        actual[name] = await ask(row, headers);
      };

      // Allowed changes are undone before the next request, and only two long questions of an organization run at once.
      // Other reads and refused requests can run in parallel: a refused one that changes something fails anyway.
      const expected = { ...expectedOf(row), ...others[row.route] };
      const isLong = row.route.startsWith('GET /audit/');
      const runsAlone = ([name]: [string, Headers]) =>
        (isLong || !row.route.startsWith('GET')) && expected[name] === 'ok';
      await Promise.all(callers.filter(caller => !runsAlone(caller)).map(askAs));
      for (const caller of callers.filter(runsAlone)) await askAs(caller);

      expect(actual).toEqual(expected);
    });
  });
}
