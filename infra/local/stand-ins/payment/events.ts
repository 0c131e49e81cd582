import { createHmac, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const deliveryTimeoutMs = 10_000;
/** How long a hosted page waits for its events to arrive before it redirects back. */
const patienceMs = 5_000;
/** About a minute in total; the real provider keeps retrying for three days. */
const attempts = 7;

export interface EventSender {
  /**
   * Resolves when the event was accepted, or after a few seconds. Events are sent one at a time, in the order of the
   * calls.
   */
  send(type: string, object: Record<string, unknown>): Promise<void>;
  stop: () => Promise<void>;
}

/**
 * Sends events like the provider: signed over the raw body, and resent until they are accepted. Events that were not
 * accepted when the stack stopped are sent when it runs again.
 */
export function startEventSender(database: DatabaseSync, target: { url: string; secret: string }): EventSender {
  database.exec('CREATE TABLE IF NOT EXISTS outgoing (number INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT) STRICT');
  const insert = database.prepare('INSERT INTO outgoing (body) VALUES (?)');
  const forget = database.prepare('DELETE FROM outgoing WHERE number = ?');
  const stopping = new AbortController();
  let last: Promise<void> = Promise.resolve();

  const enqueue = (number: number, body: string) => {
    last = last.then(async () => {
      if (stopping.signal.aborted) return;
      if (await deliver(body)) forget.run(number);
    });
    return last;
  };

  async function deliver(body: string): Promise<boolean> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      try {
        if (attempt > 0) await sleep(2 ** (attempt - 1) * 1000, undefined, { signal: stopping.signal });
        const response = await fetch(target.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': sign(body, target.secret) },
          body,
          signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(deliveryTimeoutMs)]),
        });
        await response.arrayBuffer();
        if (response.ok) return true;
        console.error(`The service returned ${response.status} for an event of the payment provider's stand-in.`);
      } catch (error) {
        if (stopping.signal.aborted) return false;
        console.error(`An event of the payment provider's stand-in could not be delivered: ${error}`);
      }
    }
    return true;
  }

  for (const { number, body } of database.prepare('SELECT number, body FROM outgoing ORDER BY number').all()) {
    void enqueue(Number(number), String(body));
  }
  return {
    send(type, object) {
      const body = JSON.stringify({
        id: `evt_${randomBytes(12).toString('hex')}`,
        object: 'event',
        api_version: '2026-10-28.endive',
        created: Math.floor(Date.now() / 1000),
        livemode: false,
        pending_webhooks: 1,
        type,
        data: { object },
      });
      const delivered = enqueue(Number(insert.run(body).lastInsertRowid), body);
      return Promise.race([delivered, sleep(patienceMs, undefined, { ref: false })]);
    },
    async stop() {
      stopping.abort();
      await last;
    },
  };
}

/** https://docs.stripe.com/webhooks#verify-manually */
export function sign(body: string, secret: string, timeSeconds = Math.floor(Date.now() / 1000)): string {
  const signature = createHmac('sha256', secret).update(`${timeSeconds}.${body}`).digest('hex');
  return `t=${timeSeconds},v1=${signature}`;
}
