import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';

const written = JSON.parse(readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8'));
const api = shared(startApi);
const get = (path: string, headers: Record<string, string> = {}) => fetch(api.url + path, { headers });

describe('the description of the API', () => {
  it('is openapi.json, with the address it was requested from as its server', async () => {
    const response = await get('/openapi.json');

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ...written, servers: [{ url: '/', description: 'This installation.' }] });
  });

  it('is not sent again to a client that already has it', async () => {
    const first = await get('/openapi.json');
    await first.arrayBuffer();

    const second = await get('/openapi.json', { 'if-none-match': first.headers.get('etag') ?? '' });

    expect(second.status).toBe(304);
    expect(await second.text()).toBe('');
  });

  it('is compressed only for clients that accept gzip', async () => {
    const plain = await get('/openapi.json', { 'accept-encoding': 'identity' });
    const refusing = await get('/openapi.json', { 'accept-encoding': 'br, gzip;q=0' });
    const taking = await get('/openapi.json', { 'accept-encoding': 'br, gzip' });

    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(refusing.headers.get('content-encoding')).toBeNull();
    expect(taking.headers.get('content-encoding')).toBe('gzip');
    expect(await taking.json()).toEqual(await plain.json());
    await refusing.arrayBuffer();
  });

  it('is public, and ignores credentials', async () => {
    const { status } = await get('/openapi.json', { authorization: 'Bearer junk' });
    expect(status).toBe(200);
  });
});

describe('the reference page', () => {
  it('loads nothing from another host, and its policy prevents it', async () => {
    const response = await get('/docs');
    const html = await response.text();
    const policy = response.headers.get('content-security-policy') ?? '';

    expect(html.match(/(?:src|href)="(?!data:)[^"]+"/g)).toEqual(['href="openapi.json"', 'src="docs/redoc.js"']);
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      'font-src data:',
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(html).toContain('disable-telemetry="true"');
  });

  it('comes with its script, which fits within Lambda’s limit of 6 MB with and without compression', async () => {
    const response = await get('/docs/redoc.js', { 'accept-encoding': 'identity' });
    const script = await response.text();

    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.length).toBeGreaterThan(1_000_000);
    expect(Buffer.byteLength(JSON.stringify(script))).toBeLessThan(6 * 1024 * 1024);
  });

  it('has a script that references no other host', async () => {
    const script = await (await get('/docs/redoc.js')).text();
    const original = readFileSync(createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
    const hostsOf = (text: string) => new Set(text.match(/https?:\/\/[\w.-]+/g));
    const removed = [...hostsOf(original)].filter(host => !hostsOf(script).has(host));

    expect(removed.toSorted()).toEqual([
      'https://cdn.redoc.ly',
      'https://cdn.redocly.com',
      'https://otel.cloud.redocly.com',
    ]);
    expect(script).not.toMatch(/https?:\/\/[\w.-]*\b(?:cdn|fonts|otel|unpkg|static|assets)\b/);
  });

  it('returns a request id, like every other route', async () => {
    const response = await get('/docs');
    await response.arrayBuffer();
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });
});
