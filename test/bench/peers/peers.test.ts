import { randomUUID } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { createProject, createToken, useApi } from '#test/support/api.ts';
import { startObservedApi } from '#test/support/observed-api.ts';
import { seedPerson } from '#test/support/people.ts';
import { countsOf, recordCalls } from '#test/support/record-calls.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { countRequest } from '../count-operations.ts';
import { medians, timed } from '../measure.ts';
import { pullLikeCredstash, storeLikeCredstash } from './credstash.ts';
import { measureStarts } from './measure-starts.ts';
import { credstash, holdfast, parameterStore, renderPulls, secretCount, secretsManager } from './peer-table.ts';

/* `npm run bench -- peers` prints the table and the ratios; other runs compare the table with docs/performance.md. */
const isBench = process.env.PEERS !== undefined;
const secrets = Array.from({ length: secretCount }, (_, index) => ({ key: `KEY_${index}`, value: 'x'.repeat(200) }));
const table = `credstash-${randomUUID()}`;
const api = useApi(startObservedApi);
let path: string;
let env: Record<string, string>;
let as: { token: string };

beforeAll(async () => {
  const person = await seedPerson();
  const project = await createProject(api, person);
  as = await createToken(api, person);
  path = `/secrets/${person.organization.slug}/${project.slug}/dev`;
  await expectStatus(api.post(`${path}/bulk`, { secrets }, as), 200);
  env = {
    HOLDFAST_URL: api.url,
    HOLDFAST_TOKEN: as.token,
    HOLDFAST_ORG: person.organization.slug,
    HOLDFAST_PROJECT: project.slug,
    HOLDFAST_ENV: 'dev',
  };
  await storeLikeCredstash(table, secrets);
});

async function pull(): Promise<void> {
  const { body } = await expectStatus(api.get(path, as), 200);
  expect(body.secrets).toHaveLength(secretCount);
}

const pullAsPeer = () => pullLikeCredstash(table);

it('has the table of docs/performance.md', { timeout: 60_000 }, async () => {
  await pull();
  await pull();
  const { answer, counts } = await countRequest(api, { method: 'GET', path, as });
  expect(answer.body.secrets).toHaveLength(secretCount);
  const { result, calls } = await recordCalls(pullAsPeer);
  expect([...result.values].sort()).toEqual(secrets.map(({ key, value }) => [key, value]).sort());
  const peer = credstash({ ...countsOf(calls), readUnits: result.readUnits });
  const printed = renderPulls([peer, parameterStore(), secretsManager(), holdfast(counts)]);
  if (isBench) writeSync(1, `\n${printed}\n\n`);

  const page = readFileSync(join(import.meta.dirname, '../../../docs/performance.md'), 'utf8');
  const section = page.split('## Compared with other tools\n')[1]?.split(/^## /m)[0] ?? '';
  const written = section.split('\n').filter(line => line.startsWith('|'));
  expect(written.join('\n')).toBe(printed);
});

it.runIf(isBench)('prints how long a pull takes, as a ratio', { timeout: 120_000 }, async () => {
  const times = await medians(30, { holdfast: () => timed(pull), credstash: () => timed(pullAsPeer) }, 10);
  const ratio = (times.credstash / times.holdfast).toFixed(2);
  writeSync(1, `peers: credstash's way takes ${ratio} × a pull of Holdfast\n`);
});

it.runIf(isBench)('prints how long `run -- true` takes, as a ratio', { timeout: 300_000 }, async () => {
  for (const [name, ratio] of await measureStarts(secrets, env)) {
    if (name !== 'holdfast run') writeSync(1, `peers: ${name} -- true takes ${ratio.toFixed(2)} × holdfast run\n`);
  }
});
