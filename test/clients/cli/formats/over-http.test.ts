import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formats } from '#lib/contracts/fields/formats/formats.ts';
import { ServedFormat } from '#lib/contracts/secrets/secrets.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { createToken, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { seed } from '#test/support/seed.ts';
import { buildCli, variablesOf } from '../cli.ts';
import { nastyValues } from './nasty-values.ts';

/** `FORMATS=2000 npx vitest run test/clients/cli/formats/over-http.test.ts` compares that many values of each format. */
const count = Math.min(Number(process.env.FORMATS ?? 150), 2000);
const perEnvironment = 1000;
const api = shared(startApi);
const cli = shared(buildCli);

async function bothWays(name: ServedFormat, secrets: readonly (readonly [string, string])[]) {
  const place = await openWorkplace(api);
  const { token } = await createToken(api, place.owner);
  expect((await place.importAll('dev', Object.fromEntries(secrets))).status).toBe(200);
  const answer = await fetch(`${api.url}${place.at('dev', `?format=${name}`)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const file = join(cli.home, name);
  const pulled = await cli.run(['pull', '--format', name, '--output', file], {
    env: variablesOf(api.url, token, `${place.owner.organization.slug}/${place.project.slug}/dev`),
  });
  expect([answer.status, pulled.code]).toEqual([200, 0]);
  return { served: Buffer.from(await answer.arrayBuffer()), written: readFileSync(file) };
}

describe.each(ServedFormat.options)('?format=%s', name => {
  it(`is byte for byte what the command line writes (${count} values of seed ${seed})`, async () => {
    const taken = nastyValues(count, seed)
      .map((value, index) => [`K${index}`, value] as const)
      .filter(([key, value]) => formats[name]?.refuses(key, value) === undefined);
    expect(taken.length).toBeGreaterThan(count * 0.2);
    for (const secrets of chunksOf(perEnvironment, taken)) {
      const { served, written } = await bothWays(name, secrets);
      expect(served.equals(written)).toBe(true);
      expect(served.length).toBeGreaterThan(secrets.length);
    }
  }, 300_000);
});
