import { describe, expect, it } from 'vitest';
import { handler } from '#functions/workers/make-outbound-requests.ts';
import { readFetchedKeys } from '#lib/outbound/discovery.ts';
import { useSettings } from '#test/support/api.ts';
import { makeSigningKey } from '#test/support/issuer.ts';

describe('the result of the function that fetches keys', () => {
  it('has only the public members of keys that can verify, at most fifty', async () => {
    const { publicJwk } = await makeSigningKey();
    const { kty, kid, alg, crv, x, y } = publicJwk;
    const extra = { ...publicJwk, d: 'private', jku: 'https://evil.example', pk: 'ORG#acme' };
    const weak = { kty: 'RSA', n: 'A'.repeat(171), e: 'AQAB' };
    expect(readFetchedKeys({ keys: [weak, extra, { kty: 'oct', k: 'AAAA' }, null], issuer: 'other' })).toEqual({
      keys: [{ kty, kid, alg, crv, x, y }],
    });
    expect(readFetchedKeys({ keys: Array(80).fill(publicJwk) })).toMatchObject({ keys: { length: 50 } });
  });

  it('may contain a one-line problem', () => {
    expect(readFetchedKeys({ problem: 'answered 500' })).toEqual({ problem: 'answered 500' });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'answered 500'],
    ['no usable key and no problem', { keys: [{ kty: 'oct', k: 'AAAA' }] }],
    ['a problem of two lines', { problem: 'one\ntwo' }],
    ['a problem with a control character', { problem: 'a\u001b[2J' }],
    ['a problem that goes on and on', { problem: 'a'.repeat(201) }],
    ['a problem that is no text', { problem: { toString: 'x' } }],
  ])('is rejected if it is %s', (_, answer) => {
    expect(() => readFetchedKeys(answer)).toThrow('neither keys nor a problem');
  });
});

it("The function that fetches keys needs no settings, and then can't reach hosts on this machine", async () => {
  useSettings({ TABLE_NAME: '', WEBHOOK_ALLOW_LOOPBACK: '' });
  expect(await handler({ issuer: 'https://127.0.0.1' })).toEqual({ problem: 'the address 127.0.0.1 is not public' });
});
