import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { PaymentError } from './form.ts';
import type { Store } from './store.ts';

/**
 * https://docs.stripe.com/api/idempotent_requests: the same key gets the same response, and may not be reused for
 * another request.
 */
export function idempotently(
  store: Store,
  { request, path, form }: { request: IncomingMessage; path: string; form: URLSearchParams },
  run: () => object,
): object {
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || typeof key !== 'string') return run();
  const fingerprint = createHash('sha256').update(`${path}?${form}`).digest('hex');
  const replay = store.replay(key);
  if (replay === undefined) {
    const answer = run();
    store.remember(key, fingerprint, answer);
    return answer;
  }
  if (replay.fingerprint !== fingerprint) {
    throw new PaymentError(
      400,
      'idempotency_error',
      'Keys for idempotent requests can only be used with the same parameters they were first used with.',
    );
  }
  return JSON.parse(replay.answer) as object;
}
