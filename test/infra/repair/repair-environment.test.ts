import { beforeEach, describe, expect, it } from 'vitest';
import { recountOrganization } from '#infra/repair/recount.ts';
import type { Log } from '#lib/core/logger.ts';
import { readAgainWhileStale, StaleRead } from '#lib/secrets/engine/stale-read.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, queryItems } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { headRecord, versionRecord } from '#lib/table/records/secret.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { codeOf, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { seedOwner } from '#test/support/people.ts';
import { runCommand } from '#test/support/run-command.ts';

const api = shared(() => startApi({ LOG_LEVEL: 'SILENT' }));
const owner = shared(seedOwner);
const place = fresh(() => openWorkplace(api, owner));
beforeEach(async () => {
  await place.importAll('dev', { A: 'a1', B: 'b1', C: 'c1' });
  await place.importAll('dev', { A: 'a2', B: 'b2' });
  await api.delete(place.at('dev', '/C'), owner.session);
});

const path = () => ({ orgSlug: owner.organization.slug, project: place.project.slug, env: 'dev' });
const head = (key: string) => at(headRecord, path(), key);
const version = (key: string, number: number) => at(versionRecord, path(), key, number);
const state = () => at(environmentStateRecord, path());

async function repairCommand(...args: string[]) {
  const { PORT: _, ...env } = process.env;
  const { code, stdout, stderr } = await runCommand('repair-environment', args, env);
  return { code, output: code === 0 ? stdout : stderr };
}

async function headAndFirst(key: string) {
  const [current, first] = [await find(head(key)), await find(version(key, 1))];
  if (current === undefined || first === undefined) throw new Error(`${key} is not there.`);
  return [current, first] as const;
}

async function versionsStored(): Promise<string[]> {
  const items = await queryItems(ranges.environmentItems(path()));
  return items.filter(({ kind }) => kind === versionRecord.kind).map(({ key, version }) => `${key} ${version}`);
}

/** Possible inconsistencies, and what the command reports. */
const damages: { what: string; plant: () => Promise<void>; says: string[] }[] = [
  {
    what: 'a digest that fits nothing',
    plant: () => transact([update(state(), { set: { digest: 'f'.repeat(32) } })]),
    says: [],
  },
  {
    what: 'the head of a change that never committed, under the number of one that did',
    plant: async () => {
      const [newest, first] = await headAndFirst('A');
      await transact([put(head('A'), { ...newest, sealed: first.sealed, fence: 99 })]);
    },
    says: ['A: the head did not match: rebuilt from version 2'],
  },
  {
    what: 'a head that is stamped later, without a change under way, and its version',
    plant: async () => {
      const [newest] = await headAndFirst('A');
      const later = { version: 3, revision: newest.revision + 7, fence: 99 };
      await transact([put(head('A'), { ...newest, ...later }), remove(head('B'))]);
    },
    says: [
      'A: the head of revision 9 was never committed: restored to version 2',
      'B: the head was missing: rebuilt from version 2',
    ],
  },
  {
    what: 'a head that was restored to its previous version',
    plant: async () => {
      const [, first] = await headAndFirst('B');
      const { keyCreatedAt, createdAt, createdBy, ...same } = first;
      await transact([
        put(head('B'), { ...same, createdAt: keyCreatedAt, updatedAt: createdAt, updatedBy: createdBy }),
      ]);
    },
    says: ['B: the head did not match: rebuilt from version 2'],
  },
];

describe('an inconsistent environment', () => {
  it.each(damages)(
    'for $what is rejected, found by a recount, and repaired without losing a version',
    async ({ plant, says }) => {
      const versions = await versionsStored();
      await plant();
      const broken = await place.pull('dev');
      const seen = await recountOrganization(owner.organization.slug, { fix: false });

      const repaired = await repairCommand(...Object.values(path()));
      const again = await repairCommand(...Object.values(path()));

      expect(codeOf(broken)).toBe('503 temporarily_unavailable');
      expect([seen?.inconsistent, repaired.code]).toEqual([[`${place.project.slug}/dev`], 0]);
      expect(repaired.output.trim().split('\n')).toEqual([
        ...says,
        `The secrets did not match the digest. ${says.length} keys repaired; the environment is at revision 4 now.`,
      ]);
      expect(again.output).toBe('Nothing to repair: the environment is consistent at revision 4.\n');
      expect((await place.pull('dev')).body.revision).toBe(4);
      expect(await place.values('dev')).toEqual({ A: 'a2', B: 'b2' });
      expect(await versionsStored()).toEqual(versions);
      expect((await recountOrganization(owner.organization.slug, { fix: false }))?.inconsistent).toBeUndefined();
      const set = await place.set('dev', 'A', 'a3');
      expect(set.body).toMatchObject({ revision: 5, secret: { version: 3 } });
      const { versions: history } = (await place.pull('dev', '/versions/A?values=true')).body;
      expect(history.map(({ value }: { value: string }) => value)).toEqual(['a3', 'a2', 'a1']);
      const audit = await api.get(`/audit/${owner.organization.id}?action=environment.repaired`, owner.session);
      expect(audit.body.entries[0]).toMatchObject({
        actor: { type: 'system' },
        environment: { slug: 'dev' },
        keys: says.map(line => line.split(':')[0]),
        revision: 4,
      });
    },
  );

  it('gets back the version missing from its history', async () => {
    await transact([remove(version('A', 2))]);
    const { output } = await repairCommand(...Object.values(path()));
    expect(output).toContain('A: version 2 was missing from the history: added\n1 keys repaired;');
    const { versions } = (await place.pull('dev', '/versions/A?values=true')).body;
    expect(versions.map(({ value }: { value: string }) => value)).toEqual(['a2', 'a1']);
  });

  it('is reported as missing if it does not exist, and wrong usage is explained', async () => {
    const { slug } = owner.organization;
    const missing = (what: string) => ({ code: 1, output: `There is no such ${what}.\n` });
    expect(await repairCommand(slug, 'no-project', 'dev')).toEqual(missing('project'));
    expect(await repairCommand(slug, place.project.slug, 'none')).toEqual(missing('environment'));
    expect((await repairCommand('only-one')).output).toContain('Usage: npm run operate -- repair-environment');
  });

  it('is logged once per request, as the alarm counts it', async () => {
    const lines: unknown[] = [];
    const log = { error: (_: string, __: unknown, fields: unknown) => lines.push(fields) } as unknown as Log;
    const path = { orgSlug: 'acme', project: 'shop', env: 'dev' };
    const failing = readAgainWhileStale(log, path, () => Promise.reject(new StaleRead('planted')));
    await expect(failing).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    expect(lines).toEqual([{ ...path, alarm: 'inconsistent' }]);
  });

  it('no longer exists in the table', async () => {
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});
