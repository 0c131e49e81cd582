import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { openLog } from '#lib/core/logger.ts';
import { redact } from '#lib/core/redact.ts';
import { createCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { captureLog } from '#test/support/log-lines.ts';

const userId = '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11';

function lineOf(work: (log: ReturnType<typeof openLog>) => void, context = {}) {
  const lines = captureLog();
  work(openLog(context));
  expect(lines).toHaveLength(1);
  return lines[0];
}

describe('a log line', () => {
  it('is one JSON object with the request, the time and the message', () => {
    const line = lineOf(log => log.info('made a\nwebhook delivery', { statusCode: 204 }), { requestId: 'r-1' });
    expect(line).toEqual({
      level: 'INFO',
      message: 'made a\nwebhook delivery',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'holdfast',
      requestId: 'r-1',
      statusCode: 204,
    });
  });

  it('for an error has its name, message, stack and cause', () => {
    const error = new TypeError('outer', { cause: new Error('inner') });
    expect(lineOf(log => log.error('it failed', error))).toMatchObject({
      level: 'ERROR',
      error: { name: 'TypeError', message: 'outer', stack: error.stack, cause: { name: 'Error', message: 'inner' } },
    });
  });

  it('logs anything thrown as an error', () => {
    expect(lineOf(log => log.error('it failed', 'a text'))).toMatchObject({
      error: { name: 'Error', message: 'a text' },
    });
  });

  it('for an account event names the event', () => {
    expect(lineOf(log => log.account('login_failed', { ip: '203.0.113.7' }))).toMatchObject({
      message: 'account event',
      accountEvent: 'login_failed',
      ip: '203.0.113.7',
    });
  });
});

describe('redaction', () => {
  it.each(['code', 'Code', 'codeVerifier', 'password', 'Authorization', 'set-cookie', 'value', 'signingSecret'])(
    'removes a member %s, at any depth and in lists',
    name => {
      const redacted = JSON.stringify(redact({ request: [{ [name]: 'hunter2' }] }));
      expect(redacted).not.toContain('hunter2');
      expect(redacted).toContain('[redacted]');
    },
  );

  it('keeps the codes of errors, which identify the failure', () => {
    const outage = Object.assign(new Error('read'), { code: 'ECONNRESET', cause: { code: 'EPIPE' } });
    expect(redact({ error: outage })).toMatchObject({ error: { code: 'ECONNRESET', cause: { code: 'EPIPE' } } });

    const cancelled = new TransactionCanceledException({
      message: 'cancelled',
      $metadata: {},
      CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
    });
    expect(redact(cancelled)).toMatchObject({
      CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
    });
  });

  it('removes all other secrets from errors as well', () => {
    const error = Object.assign(new Error('failed'), { request: { password: 'hunter2', cookie: 'hunter2' } });
    expect(JSON.stringify(redact(error))).not.toContain('hunter2');
  });

  it.each([
    ['a bearer token', createCredential(userId, tokenPrefix).secret],
    ['the code of a hand-off or a mailed link', createCredential(userId).secret],
    ['a signing secret', 'whsec_abcDEF123'],
    ['a key of the payment provider', 'sk_live_abcDEF123'],
  ])('removes %s anywhere in a text, even in an error’s code', (_, secret) => {
    const error = Object.assign(new Error(`refused ${secret}!`), { code: secret });
    expect(JSON.stringify(redact({ note: `a ${secret} b`, error }))).not.toContain(secret);
  });

  it('shows only the number of bytes', () => {
    expect(redact({ key: new Uint8Array(32) })).toEqual({ key: '[32 bytes]' });
  });

  it('stops at cycles and at too deep nesting', () => {
    const circle: Record<string, unknown> = { name: 'a' };
    circle.self = circle;
    expect(redact(circle)).toEqual({ name: 'a', self: '[circular]' });
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 100; depth += 1) deep = { deep };
    expect(JSON.stringify(redact(deep))).toContain('[too deep]');
  });

  it('preserves numbers, booleans, null and times', () => {
    const time = new Date('2026-01-31T09:26:53.589Z');
    const others = { a: 1, b: false, c: null };
    expect(redact({ ...others, time, big: 12n })).toEqual({ ...others, time: time.toISOString(), big: '12' });
  });
});
