import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProject, useApi } from '../support/api.ts';
import { startObservedApi } from '../support/observed-api.ts';
import { seedPerson } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { auditEntry, seedAudit } from '../support/seed-audit.ts';
import { countRequest } from './count-operations.ts';
import { drawGrowth } from './draw-growth.ts';

/* Part of `npm run bench`: how costs grow, counted and drawn. */
const isBench = process.env.BENCH !== undefined;

describe.runIf(isBench)('growth', () => {
  const api = useApi(startObservedApi);

  it('affects the reads of a pull, but not the cost of a change or of an audit page', {
    timeout: 900_000,
  }, async () => {
    const pulls: [number, number][] = [];
    const sets: [number, number][] = [];
    for (const size of [10, 30, 100, 300, 1000]) {
      const person = await seedPerson();
      await createProject(api, person);
      const secrets = Array.from({ length: size }, (_, index) => ({ key: `SECRET_${index}`, value: 'x'.repeat(200) }));
      const path = `/secrets/${person.organization.slug}/shop/dev`;
      await expectStatus(api.post(`${path}/bulk`, { secrets }, person.session), 200);
      const pulled = await countRequest(api, { method: 'GET', path, as: person.session });
      const body = { key: 'SECRET_1', value: 'y'.repeat(200) };
      const set = await countRequest(api, { method: 'PUT', path, body, as: person.session });
      pulls.push([size, pulled.counts.readUnits]);
      sets.push([size, set.counts.readUnits + set.counts.writeUnits]);
    }
    const first: [number, number][] = [];
    const far: [number, number][] = [];
    for (const size of [100, 1000, 10_000, 100_000]) {
      const person = await seedPerson();
      const { id } = person.organization;
      const start = Date.now() - 86_400_000;
      const entries = Array.from({ length: size }, (_, index) =>
        auditEntry(index % 4 === 0 ? 'secret.updated' : 'secret.pulled', start + index * 500),
      );
      await seedAudit(id, entries);
      const page = (offset: number) =>
        countRequest(api, { method: 'GET', path: `/audit/${id}?limit=50&offset=${offset}`, as: person.session });
      // Until every entry has been counted, which only happens on the first read of a log.
      for (let total = 0; total < size; ) total = (await page(0)).answer.body.pagination.total;
      first.push([size, (await page(0)).counts.readUnits]);
      if (size >= 10_000) far.push([size, (await page(5000)).counts.readUnits]);
    }
    const svg = drawGrowth([
      {
        title: 'Secrets of 200 B in one environment',
        xTitle: 'secrets',
        yTitle: 'capacity units',
        lines: [
          { name: 'pull all (read units)', points: pulls },
          { name: 'set one (read and write units)', points: sets },
        ],
      },
      {
        title: 'A page of 50 entries of the audit log',
        xTitle: 'entries in the log',
        yTitle: 'read units',
        lines: [
          { name: 'offset 0', points: first },
          { name: 'offset 5,000', points: far },
        ],
      },
    ]);
    writeFileSync(join(import.meta.dirname, 'growth.svg'), svg);
    writeSync(1, `growth: ${JSON.stringify({ pulls, sets, first, far })}\n`);
    expect(Math.max(...sets.map(([, units]) => units))).toBeLessThan(40);
    expect(Math.max(...first.map(([, units]) => units))).toBeLessThan(2 * (first[0]?.[1] ?? 0) + 10);
  });
});
