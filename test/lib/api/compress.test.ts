import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { acceptsGzip, compressed } from '#lib/api/compress.ts';
import { render } from '#lib/api/respond.ts';

const from = (accepted?: string) =>
  ({ headers: accepted === undefined ? {} : { 'accept-encoding': accepted } }) as APIGatewayProxyEventV2;
const body = { secrets: Array.from({ length: 50 }, (_, index) => ({ key: `KEY_${index}`, value: 'ü'.repeat(40) })) };

describe('a response', () => {
  test('is compressed for clients that accept gzip, and decompresses to the same bytes', () => {
    const plain = render({ status: 200, body }, 'r', from());
    const small = render({ status: 200, body }, 'r', from('br, gzip;q=0.8'));
    expect(plain).toMatchObject({ body: JSON.stringify(body), isBase64Encoded: false });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(small).toMatchObject({ headers: { 'content-encoding': 'gzip' }, isBase64Encoded: true });
    expect(gunzipSync(Buffer.from(small.body ?? '', 'base64')).toString()).toBe(plain.body);
  });

  test.each([
    ['gzip', true],
    ['GZIP ; q=1', true],
    ['deflate, *', true],
    ['gzip;q=0, *', false],
    ['br', false],
    ['x-gzip-like', false],
    ['', false],
  ])('to a client that accepts "%s" may be gzip: %s', (accepted, may) => {
    expect(acceptsGzip(accepted)).toBe(may);
  });

  test('of less than a packet is sent as it is', () => {
    expect(compressed('x'.repeat(1000), from('gzip'))).toBeUndefined();
  });

  test('has the same length whether or not a guess repeats a secret', () => {
    const secret = 'sk_live_4f9d2c7ab81e36f05d';
    const lengthWith = (guess: string) =>
      compressed(
        JSON.stringify({ secrets: [{ value: secret }, { value: guess }], filler: 'f'.repeat(2000) }),
        from('gzip'),
      )?.length;
    // The same characters in another order, so only a compressor that finds repetitions can tell them apart.
    expect(lengthWith(secret)).toBe(lengthWith([...secret].toReversed().join('')));
    expect(lengthWith(secret)).toBeGreaterThan(0);
  });
});
