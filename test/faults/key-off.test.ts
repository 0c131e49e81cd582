import { DisabledException } from '@aws-sdk/client-kms';
import { expect, it } from 'vitest';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { startApi, useApi } from '#test/support/api.ts';
import { conductedHandlers } from '#test/support/observe-calls.ts';
import { placeWithHistory } from '#test/support/sample-requests.ts';
import { failureOf, samples, send } from '#test/support/samples.ts';
import { chapterOf } from '../docs/pages.ts';

let isOff = false;

const disabled = () => new DisabledException({ $metadata: {}, message: 'The key is disabled.' });

/** A function that has just started: it has no key in its memory yet. */
const conductor = {
  call: async ({ service }: { service: string }, proceed: () => Promise<unknown>) => {
    if (service === 'KMS') throw disabled();
    return proceed();
  },
};

const api = useApi(() =>
  startApi(
    { LOG_LEVEL: 'SILENT' },
    conductedHandlers(() => (isOff ? conductor : undefined)),
  ),
);

it('with the KMS key disabled, exactly the operations that the runbook names fail', async () => {
  const failing: string[] = [];
  for (const sample of samples) {
    const { request, works } = await sample.prepare(api);
    resetProcessMemory('credential-key', 'data-keys', 'retired-data-keys', 'snapshots');
    isOff = true;
    const answer = await send(api, request);
    isOff = false;
    if (works.includes(answer.status)) continue;
    if (answer.status < 500) throw new Error(failureOf(sample, answer));
    failing.push(sample.operationId);
  }

  const chapter = chapterOf('docs/operations.md', '## Lost or disabled keys');
  const [, list = ''] = chapter.split('These operations fail:');
  const named = [...(list.split('\n\n')[0] ?? '').matchAll(/`([a-z-]+)`/g)].map(([, id]) => id);
  expect([...new Set(failing)].toSorted()).toEqual(named.toSorted());
}, 300_000);

it('with the KMS key disabled, what needs no value works: a history without values, and what has not changed', async () => {
  const place = await placeWithHistory(api);
  const pulled = await api.get(`${place.secrets}/dev`, place.session);
  resetProcessMemory('credential-key', 'data-keys', 'retired-data-keys', 'snapshots');
  isOff = true;

  const history = await api.get(`${place.secrets}/dev/versions/KEY_1`, place.session);
  const etag = pulled.headers.get('etag') ?? '';
  const again = await api.get(`${place.secrets}/dev`, place.session, { 'if-none-match': etag });
  isOff = false;
  expect([history.status, again.status]).toEqual([200, 304]);
});
