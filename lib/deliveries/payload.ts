import { randomUUID } from 'node:crypto';
import { EventPayload } from '../contracts/fields/events.ts';
import { daySeconds, expiryAfter } from '../core/time.ts';
import { at, readAll } from '../table/read.ts';
import { type KeptPayload, payloadPieceRecord } from '../table/records/webhook.ts';
import { put, putAlone } from '../table/write.ts';
import type { Payload } from './message.ts';

/** Longer than the queue can keep a message (14 days). After that, a delivery of a stored payload can't be repeated. */
const storedPayloadSeconds = 15 * daySeconds;

/** Below DynamoDB's 400 KB per item: payloads are ASCII except for e-mail addresses and messages. In code points. */
const onePiece = /.{1,300000}/gsu;

/** Longer bodies are not kept in the log itself, so that one page of a Query holds all of a webhook's deliveries. */
const longestInLogBytes = 16 * 1024;

/** The text that is sent. Its members are in the order of the schema, whoever wrote the message. */
function textIn(payload: Exclude<Payload, { kind: 'stored' }>): string {
  return payload.kind === 'text' ? payload.text : JSON.stringify(EventPayload.parse(payload.content));
}

/** The text that is sent; undefined if it was stored and is gone. */
export async function textOf(payload: Payload): Promise<string | undefined> {
  if (payload.kind !== 'stored') return textIn(payload);
  const { payloadId, pieces: count } = payload;
  const pieces = await readAll(Array.from({ length: count }, (_, index) => at(payloadPieceRecord, payloadId, index)));
  return pieces.includes(undefined) ? undefined : pieces.map(piece => piece?.text).join('');
}

/** What the log keeps of a delivery's payload, so that the same text can be sent again. */
export async function keptPayload(payload: Payload): Promise<KeptPayload> {
  if (payload.kind === 'stored') return payload;
  const text = textIn(payload);
  return Buffer.byteLength(text) <= longestInLogBytes ? { kind: 'text', text } : storePayload(payload);
}

/** A promotion's keys are limited only by the environment's 4 MiB: their names alone can take up 2 MB. */
export async function storePayload(payload: Exclude<Payload, { kind: 'stored' }>): Promise<KeptPayload> {
  const text = textIn(payload);
  const payloadId = randomUUID();
  const expiresAt = expiryAfter(storedPayloadSeconds);
  const pieces = text.match(onePiece) ?? [];
  await Promise.all(
    pieces.map((piece, index) => putAlone(put(at(payloadPieceRecord, payloadId, index), { text: piece, expiresAt }))),
  );
  return { kind: 'stored', payloadId, pieces: pieces.length };
}
