import { describe, expect, it } from 'vitest';
import { openLog } from '#lib/core/logger.ts';
import { dayMs } from '#lib/core/time.ts';
import { mailDue } from '#lib/jobs/mail-due.ts';
import { startApi } from '../support/api.ts';
import { openWorkplace } from '../support/environments.ts';
import { shared } from '../support/fixtures.ts';
import { injectFault, injectLate, kindsFor, lateKinds } from '../support/inject-faults.ts';
import { type AwsCall, type Conductor, conduct, replenishRetries } from '../support/observe-calls.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { emptyTable } from '../support/table-dump.ts';

/* Each letter about what is due is sent once, whatever fails, stalls or runs twice in the daily run. */

const api = shared(() => startApi({ LOG_LEVEL: 'SILENT' }));

/** When both values are due. */
let dueAt: string;

/** The daily run, as of some days before the values are due. */
function run(daysBefore: number, conductor?: Conductor): Promise<void> {
  const at = new Date(Date.parse(dueAt) - daysBefore * dayMs).toISOString();
  return conduct(conductor, () => mailDue({ at }, openLog({ operation: 'mail-due' })));
}

/** Two letters: one value has an owner, the other one's go to the admin. */
async function prepareTwo() {
  await emptyTable();
  await replenishRetries();
  const there = await openWorkplace(api);
  await there.importAll('dev', { OWNED: '1', FREE: '1' });
  const developer = await there.member('developer');
  const { organization, session } = there.owner;
  for (const body of [{ key: 'OWNED', owner: developer.user.id }, { key: 'FREE' }]) {
    const path = `/templates/${organization.slug}/${there.project.slug}`;
    await expectStatus(api.post(path, { maxAgeDays: 20, ...body }, session), 201);
  }
  dueAt = (await api.get(`/due/${organization.id}`, session)).body.due[0].dueAt;
  return [there.owner.email, developer.email] as const;
}

const announcements = ['in 14 days', 'in 3 days', 'today'] as const;

/** How often each of the three announcements of the value was mailed. */
const announced = async (email: string) => {
  const texts = (await api.mails()).filter(({ to }) => to === email).map(({ text }) => text);
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

describe('a fault of any call of the daily run', () => {
  it('sends each letter once, unless the process ends between its note and its dispatch', {
    timeout: 600_000,
  }, async () => {
    const calls = await callsOfRun();
    const isLetter = (call: AwsCall | undefined) => call?.service === 'SESv2';
    expect(calls.filter(isLetter)).toHaveLength(2);
    const lost: string[] = [];
    for (const call of calls) {
      for (const kind of kindsFor(call)) {
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
