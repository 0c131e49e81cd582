import { describe, expect, it } from 'vitest';
import { openLog } from '#lib/core/logger.ts';
import { dayMs } from '#lib/core/time.ts';
import { mailDue } from '#lib/jobs/mail-due.ts';
import { startApi } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { injectFault, injectLate, isTableWrite, kindsFor, lateKinds } from '#test/support/inject-faults.ts';
import { type AwsCall, type Conductor, conduct, replenishRetries } from '#test/support/observe-calls.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { emptyTable } from '#test/support/table-dump.ts';

const api = shared(() => startApi());
const place = fresh(async () => {
  await emptyTable();
  return openWorkplace(api);
});

/** Values are written now, so a value of an age of 20 days is due then. */
const ageDays = 20;

async function describeKey(body: object, there: Workplace = place): Promise<void> {
  const template = `/templates/${there.owner.organization.slug}/${there.project.slug}`;
  await expectStatus(api.post(template, { maxAgeDays: ageDays, ...body }, there.owner.session), 201);
}

/** The daily run, as of some days before the value is due. */
function run(daysBefore: number, conductor?: Conductor): Promise<void> {
  const at = new Date(Date.now() + (ageDays - daysBefore) * dayMs).toISOString();
  return conduct(conductor, () => mailDue({ at }, openLog({ operation: 'mail-due' })));
}

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
    const at = new Date(Date.now() + (ageDays - 3) * dayMs).toISOString();
    const url = new URL(`/local/daily?at=${encodeURIComponent(at)}`, api.url);
    const [ran, foreign, got] = [
      await fetch(url, { method: 'POST' }),
      await fetch(url, { method: 'POST', headers: { origin: 'https://evil.example' } }),
      await fetch(url),
    ];
    expect([ran.status, foreign.status, got.status]).toEqual([200, 404, 404]);
    expect(await letters()).toHaveLength(1);
  });
});

/** Two letters: one value has an owner, the other one's go to the admin. */
async function prepareTwo() {
  await emptyTable();
  await replenishRetries();
  const there = await openWorkplace(api);
  await there.importAll('dev', { OWNED: '1', FREE: '1' });
  const developer = await there.member('developer');
  await describeKey({ key: 'OWNED', owner: developer.user.id }, there);
  await describeKey({ key: 'FREE' }, there);
  return [there.owner.email, developer.email] as const;
}

const announcements = ['in 14 days', 'in 3 days', 'today'] as const;

/** How often each of the three announcements of the value was mailed. */
const announced = async (email: string) => {
  const texts = (await letters(email)).map(({ text }) => text);
  return announcements.map(when => texts.filter(text => text.includes(`dev: ${when} (`)).length);
};

const announcedTo = (emails: readonly string[]) => Promise.all(emails.map(announced));

/** Redelivers a run 14 days before the value is due, and runs again later. */
async function runOn(): Promise<void> {
  for (const days of [14, 14, 3, 0, 0]) await run(days);
}

async function callsOfRun(): Promise<AwsCall[]> {
  const calls: AwsCall[] = [];
  await prepareTwo();
  await run(14, {
    call: (call, send) => {
      calls.push(call);
      return send();
    },
  });
  return calls;
}

const everything = [1, 1, 1];

/* FAULTS=most or all: every fault of every call. Otherwise a read is only refused. */
const everyFault = process.env.FAULTS !== undefined;

describe('a fault of any call of the daily run', () => {
  it('sends each letter once, unless the process ends between its note and its dispatch', {
    timeout: 600_000,
  }, async () => {
    const calls = await callsOfRun();
    const isLetter = (call: AwsCall | undefined) => call?.service === 'SESv2';
    expect(calls.filter(isLetter)).toHaveLength(2);
    const lost: string[] = [];
    for (const call of calls) {
      const isRead = !isTableWrite(call) && !isLetter(call);
      for (const kind of kindsFor(call).filter(one => everyFault || !isRead || one === 'refused')) {
        const emails = await prepareTwo();
        const fault = injectFault(kind, call.position);
        await run(14, fault).catch(() => undefined);
        await replenishRetries();
        await runOn();
        const name = `${kind} at ${call.position} (${call.service} ${call.operation})`;
        const counts = await announcedTo(emails);
        if (counts.some(([first]) => first === 0)) lost.push(name);
        expect([name, fault.hit(), counts.toSorted().reverse()]).toEqual([
          name,
          true,
          lost.includes(name) ? [everything, [0, 1, 1]] : [everything, everything],
        ]);
      }
    }
    // A note is the call before its letter, because the letters are sent one after the other.
    const unavoidable = calls.filter(isLetter).flatMap(letter => {
      const note = calls[letter.position - 2];
      expect(note?.operation).toMatch(/^TransactWrite/);
      return [
        `dies-after at ${note?.position} (${note?.service} ${note?.operation})`,
        `dies-before at ${letter.position} (${letter.service} ${letter.operation})`,
      ];
    });
    expect(lost.toSorted()).toEqual(unavoidable.toSorted());
  });

  it('that SES reports as its own may have sent the letter, which is not sent again', async () => {
    const emails = await prepareTwo();
    await run(14, {
      attempt: async (call, send) => {
        const answer = await send();
        if (call.service !== 'SESv2') return answer;
        throw Object.assign(new Error('internal (injected)'), { $metadata: { httpStatusCode: 500 } });
      },
    });
    await runOn();
    expect(await announcedTo(emails)).toEqual([everything, everything]);
  });

  it.each(lateKinds)('of a write that is executed %s sends no letter twice', { timeout: 300_000 }, async kind => {
    for (let nth = 1; ; nth += 1) {
      const emails = await prepareTwo();
      const fault = injectLate(kind, nth);
      await run(14, fault).catch(() => undefined);
      if (!fault.hit()) {
        expect(nth).toBeGreaterThan(3);
        return;
      }
      await run(14);
      await fault.executeLate();
      await runOn();
      expect([nth, await announcedTo(emails)]).toEqual([nth, [everything, everything]]);
    }
  });
});

describe('two runs at once', () => {
  it.each([
    ['of the same day', [14]],
    ['days apart', [3]],
    ['of a run that is repeated days later', [14, 3]],
  ])('send each letter once, wherever the first stalls: %s', { timeout: 300_000 }, async (_, meanwhile) => {
    for (let position = 1; ; position += 1) {
      const emails = await prepareTwo();
      let hasMet = false;
      await run(14, {
        call: async (call, send) => {
          if (call.position === position) {
            hasMet = true;
            for (const days of meanwhile) await run(days);
          }
          return send();
        },
      });
      await runOn();
      // What the first run had not noted yet is in the later one's letter.
      const [first] = meanwhile.includes(14) ? [[1]] : [[0, 1]];
      for (const counts of await announcedTo(emails)) {
        expect([position, first?.includes(counts[0] ?? -1), counts.slice(1)]).toEqual([position, true, [1, 1]]);
      }
      if (!hasMet) return;
    }
  });

  it('of which one finds that SES refuses, send each letter once', { timeout: 300_000 }, async () => {
    for (const { position } of await callsOfRun()) {
      const emails = await prepareTwo();
      const refusing: Conductor = {
        call: async (call, send) => {
          if (call.position === position) await run(14);
          if (call.service === 'SESv2')
            throw Object.assign(new Error('paused'), { $metadata: { httpStatusCode: 400 } });
          return send();
        },
      };
      await run(14, refusing).catch(() => undefined);
      await runOn();
      expect([position, await announcedTo(emails)]).toEqual([position, [everything, everything]]);
    }
  });
});

it('a malformed time is no run', async () => {
  const answer = await fetch(new URL('/local/daily?at=tomorrow', api.url), { method: 'POST' });
  expect(answer.status).toBe(500);
});
