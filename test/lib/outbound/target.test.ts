import { describe, expect, it } from 'vitest';
import { isLoopbackAddress, isPublicAddress, targetProblem } from '#lib/outbound/target.ts';
import { words } from '#test/support/words.ts';
import { forbiddenTargets } from '../webhooks/forbidden-targets.ts';

const strict = { allowLoopback: false };
const local = { allowLoopback: true };

describe('targetProblem', () => {
  it.each(forbiddenTargets)('rejects %s', url => {
    expect(targetProblem(url, strict)).toBeTypeOf('string');
  });

  const accepted = `https://example.com/hook?token=1#part https://example.com:8443/ https://example.com./
    https://93.184.215.14/ https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/ https://localhost.example.com/
    https://bücher.example/`;
  it.each(words(accepted))('accepts %s', url => {
    expect(targetProblem(url, strict)).toBeUndefined();
  });

  it('allows http and loopback if the setting permits them, and nothing else', () => {
    const allowed = ['http://127.0.0.1:3000/', 'http://localhost/', 'http://[::1]/', 'http://a.localhost/'];
    expect(allowed.map(url => targetProblem(url, local))).toEqual(allowed.map(() => undefined));
    const [open, closed] = [
      ['example.com', 'localhost.example.com'],
      ['10.0.0.1', '0.0.0.0', 'db'],
    ];
    for (const host of [...open, ...closed]) {
      expect(targetProblem(`http://${host}/`, local), host).toBe('must be an https URL');
    }
    for (const host of closed) expect(targetProblem(`https://${host}/`, local), host).toMatch(/is not public$/);
  });

  it('reports the address in its canonical form', () => {
    expect(targetProblem('https://0x7f.1/', strict)).toBe('the address 127.0.0.1 is not public');
  });
});

describe('isPublicAddress', () => {
  it('accepts ordinary addresses of both families', () => {
    const addresses = ['1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'];
    expect(addresses.filter(isPublicAddress)).toEqual(addresses);
  });

  it('rejects everything else', () => {
    expect(['', 'example.com', '127.1', '2606:4700::1111%eth0', '1.1.1.1/8'].filter(isPublicAddress)).toEqual([]);
  });
});

it('isLoopbackAddress recognizes loopback addresses of both families, even mapped ones', () => {
  const addresses = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'];
  expect(addresses.filter(isLoopbackAddress)).toEqual(addresses);
  expect(['0.0.0.0', '::', '10.0.0.1', '::7f00:1', '64:ff9b::7f00:1'].filter(isLoopbackAddress)).toEqual([]);
});
