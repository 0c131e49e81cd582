import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failure } from './cli.ts';
import { useWorkplace } from './workplace.ts';

const { cli, owner, place, value, holdfast } = useWorkplace();
const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').slice(0, -1);

test('orgs export writes a complete file that only its owner can read', async () => {
  await place.set('dev', 'A', value);
  const file = join(cli.home, 'all.jsonl');
  const { code, stderr } = await holdfast('orgs', 'export', '--to', file, '--plain');
  expect([code, stderr.includes('Exported to')], stderr).toEqual([0, true]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const lines = linesOf(file);
  const content = lines
    .slice(0, -1)
    .map(line => `${line}\n`)
    .join('');
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
    record: 'end',
    lines: lines.length - 1,
    sha256: createHash('sha256').update(content).digest('hex'),
  });
  expect(content).toContain(JSON.stringify(value));
  expect(existsSync(`${file}.part`) || existsSync(`${file}.part.json`)).toBe(false);
  expect(await holdfast('orgs', 'export', '--to', file, '--plain')).toEqual(failure(2, 'exists already'));
});

test('orgs export continues where it was interrupted', async () => {
  const file = join(cli.home, 'all.jsonl');
  const path = `/orgs/${owner.organization.id}/export`;
  await holdfast('orgs', 'export', '--to', file, '--plain');
  // As if the first page had been written, and half of the second.
  const position = { startedAt: new Date().toISOString(), step: 'items' };
  const after = Buffer.from(JSON.stringify(position)).toString('base64url');
  const [first = ''] = linesOf(file);
  const other = join(cli.home, 'other.jsonl');
  writeFileSync(`${other}.part`, `${first}\n{"record":"mem`);
  const progress = { what: JSON.stringify([owner.organization.id, 'plain']), after, bytes: first.length + 1 };
  writeFileSync(`${other}.part.json`, JSON.stringify(progress));
  expect((await holdfast('orgs', 'export', '--to', other, '--plain')).code, path).toBe(0);
  const kinds = linesOf(other).map(line => JSON.parse(line).record);
  expect(kinds.slice(0, 1)).toEqual(['export']);
  expect(kinds).toContain('organization');
  expect(kinds).not.toContain('environment');
});

test('orgs export seals values to a public key, and refuses a private one', async () => {
  await place.set('dev', 'A', value);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  for (const [name, key] of Object.entries({ publicKey, privateKey })) {
    cli.file(`${name}.jwk`, JSON.stringify(key.export({ format: 'jwk' })));
  }
  const exporting = (key: string, file: string) =>
    holdfast('orgs', 'export', '--to', join(cli.home, file), '--seal-to', join(cli.home, key));
  expect(await exporting('privateKey.jwk', 'a.jsonl')).toEqual(failure(2, 'is a private key'));
  expect((await exporting('publicKey.jwk', 'b.jsonl')).code).toBe(0);
  expect(readFileSync(join(cli.home, 'b.jsonl'), 'utf8')).not.toContain(value);
  expect(await holdfast('orgs', 'export', '--to', 'c.jsonl')).toEqual(failure(2, 'sealed to a key or plain'));
});
