import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadFromFunctions } from '../../infra/local/invoke.ts';
import { type Api, startApi } from '../support/api.ts';
import { recordCalls, wavesOf } from '../support/aws-calls.ts';
import { samples, send } from '../support/sample-requests.ts';

/** The architecture's bound on AWS calls that wait for each other, warm. */
const maximumWaves = 4;

/**
 * What takes more, with the reason: a route by organization id has two waves before it knows its organization, and a job
 * must be queued between reading and committing; a large import is many transactions by its nature.
 */
const exceptions: Readonly<Record<string, number>> = {
  'delete-project': 5,
  'rotate-key': 5,
  'import-secrets large': Number.POSITIVE_INFINITY,
};

let api: Api;
beforeAll(async () => {
  // Without workers, whose calls are no request's.
  api = await startApi({}, name =>
    name.area === 'workers' ? Promise.resolve(() => ({ batchItemFailures: [] })) : loadFromFunctions(name),
  );
});
afterAll(() => api.stop());

it.each(samples.map(sample => [sample.name, sample] as const))(
  '%s waits for AWS no more often than it may',
  async (_, sample) => {
    const prepared = await sample.prepare(api);

    const { result, calls } = await recordCalls(() => send(api, prepared.request));

    expect(prepared.works).toContain(result.status);
    const order = calls.toSorted((a, b) => a.begunAt - b.begunAt).map(({ command }) => command);
    expect(wavesOf(calls), order.join(', ')).toBeLessThanOrEqual(exceptions[sample.name] ?? maximumWaves);
  },
);
