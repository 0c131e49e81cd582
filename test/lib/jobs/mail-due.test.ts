import { describe, expect, it } from 'vitest';
import { openLog } from '#lib/core/logger.ts';
import { dayMs } from '#lib/core/time.ts';
import { mailDue } from '#lib/jobs/mail-due.ts';
import { startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { emptyTable } from '#test/support/table-dump.ts';

const api = shared(() => startApi());
const place = fresh(async () => {
  dueAt = undefined;
  await emptyTable();
  return openWorkplace(api);
});

/** When the first described value is due. */
let dueAt: string | undefined;

async function describeKey(body: object): Promise<void> {
  const { organization, session } = place.owner;
  const template = `/templates/${organization.slug}/${place.project.slug}`;
  await expectStatus(api.post(template, { maxAgeDays: 20, ...body }, session), 201);
  dueAt ??= (await api.get(`/due/${organization.id}`, session)).body.due[0].dueAt;
}

/** Some days before the value is due. */
const before = (days: number) => new Date(Date.parse(`${dueAt}`) - days * dayMs).toISOString();

const run = (daysBefore: number) => mailDue({ at: before(daysBefore) }, openLog({ operation: 'mail-due' }));

const letters = async (email = place.owner.email) =>
  (await api.mails()).filter(({ to, subject }) => to === email && subject === 'Secrets have to be renewed');

describe('letters about what is due', () => {
  it('are sent 14 and 3 days before and on the day, each once, and name no value', async () => {
    await place.set('dev', 'PASSWORD', 'canary-value');
    await describeKey({ key: 'PASSWORD' });
    const counts: number[] = [];
    for (const days of [15, 14, 14, 13, 4, 3, 2, 1, 0, 0, -1, -30]) {
      await run(days);
      counts.push((await letters()).length);
    }
    expect(counts).toEqual([0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3]);
    const texts = (await letters()).map(({ text }) => text);
    const where = `PASSWORD in ${place.project.slug}/dev`;
    expect(texts.map(text => text.includes(where))).toEqual([true, true, true]);
    expect(texts.join()).not.toContain('canary-value');
    expect([texts[0], texts[2]]).toEqual([expect.stringContaining('in 14 days'), expect.stringContaining('today')]);
  });

  it('say once what a late run missed, and nothing about a value that was renewed', async () => {
    await place.importAll('dev', { A: '1', B: '1' });
    for (const key of ['A', 'B']) await describeKey({ key });
    await run(2);
    await run(14);
    const [letter, ...others] = await letters();
    expect(others).toEqual([]);
    expect(letter?.text).toMatch(/2 secrets have to be renewed[\s\S]*A in .*\/dev: in 2 days[\s\S]*B in/);
    await place.set('dev', 'A', '2');
    await place.remove('dev', 'B');
    await api.patch(
      `/templates/${place.owner.organization.slug}/${place.project.slug}/A`,
      { maxAgeDays: 100 },
      place.owner.session,
    );
    await run(0);
    expect(await letters()).toHaveLength(1);
  });

  it('go to the owner, and without one who sees the environment to the admins of the project and organization', async () => {
    await place.importAll('dev', { OWNED: '1', FREE: '1', LEFT: '1' });
    const [developer, admin, viewer, leaving] = [
      await place.member('developer'),
      await place.member('admin'),
      await place.member('viewer'),
      await place.member('viewer'),
    ];
    await describeKey({ key: 'OWNED', owner: developer.user.id });
    await describeKey({ key: 'FREE' });
    await describeKey({ key: 'LEFT', owner: leaving.user.id });
    await expectStatus(api.delete(`/members/${place.owner.organization.id}/me`, leaving.session), 200);
    await run(14);
    const textOf = async (email: string) => (await letters(email)).map(({ text }) => text).join();
    expect(await textOf(developer.email)).toMatch(/OWNED/);
    expect(await textOf(developer.email)).not.toMatch(/FREE/);
    for (const { email } of [admin, place.owner]) {
      expect(await letters(email)).toHaveLength(1);
      expect(await textOf(email)).toMatch(/FREE/);
      expect(await textOf(email)).not.toMatch(/OWNED/);
    }
    expect(await letters(viewer.email)).toEqual([]);
  });

  it('are sent by the local stack when it is asked, as of a time', async () => {
    await place.set('dev', 'A', '1');
    await describeKey({ key: 'A' });
    const url = new URL(`/local/daily?at=${encodeURIComponent(before(3))}`, api.url);
    const [ran, foreign, got] = [
      await fetch(url, { method: 'POST' }),
      await fetch(url, { method: 'POST', headers: { origin: 'https://evil.example' } }),
      await fetch(url),
    ];
    expect([ran.status, foreign.status, got.status]).toEqual([200, 404, 404]);
    expect(await letters()).toHaveLength(1);
  });
});

it('a malformed time is no run', async () => {
  const answer = await fetch(new URL('/local/daily?at=tomorrow', api.url), { method: 'POST' });
  expect(answer.status).toBe(500);
});
