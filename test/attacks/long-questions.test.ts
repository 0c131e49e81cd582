import { beforeEach, expect, it, vi } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { longQuestionsRecord } from '#lib/table/records/limits.ts';
import { put, transact } from '#lib/table/write.ts';
import { type Answer, codeOf, nowSeconds, useApi } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { gate } from '../support/gate.ts';
import type { AwsCall, Conductor } from '../support/observe-calls.ts';
import { recordRequest, startObservedApi, withFault } from '../support/observed-api.ts';
import { countsOf } from '../support/record-calls.ts';
import { expectStatus } from '../support/sample-requests.ts';

const api = useApi(startObservedApi);
let place: Workplace;
let questions: [string, string, string, string];
const ask = (path = questions[3], headers = {}) => api.get(path, place.owner.session, headers);

beforeEach(async () => {
  place = await openWorkplace(api);
  await expectStatus(place.set('dev', 'A', '1'), 201);
  const { organization, user, session } = place.owner;
  const { projects } = (await expectStatus(api.get(`/projects/${organization.id}`, session), 200)).body;
  const dev = projects[0].environments.find(({ slug }: { slug: string }) => slug === 'dev');
  questions = [
    `/audit/${organization.id}/exposure?userId=${user.id}`,
    `/audit/${organization.id}/exposure?environment=${dev.id}&key=A`,
    `/audit/${organization.id}?actor=${user.id}`,
    `/audit/${organization.id}/feed`,
  ];
});

const running = () => at(longQuestionsRecord, place.owner.organization.id);
const isLogRead = ({ operation, input }: AwsCall) =>
  operation === 'Query' && String(input.ExpressionAttributeValues[':pk']).startsWith('AUDIT#');

const holding = (opened: Promise<void>): { conductor: Conductor } => ({
  conductor: {
    call: async (call, send) => {
      if (isLogRead(call)) await opened;
      return send();
    },
  },
});

it('eight long questions at once: two run, six are told to wait, and another tenant’s pull costs what it did', async () => {
  const other = await openWorkplace(api);
  await expectStatus(other.set('dev', 'A', '1'), 201);
  const pull = () => recordRequest(headers => api.get(other.at('dev'), { ...other.owner.session }, headers));
  await pull();
  const quiet = await pull();
  const { open, opened } = gate();
  const finished: Answer[] = [];
  const asked = [...questions, ...questions].map(async path => {
    finished.push(await withFault(holding(opened), headers => ask(path, headers)));
  });

  await vi.waitFor(() => expect(finished).toHaveLength(6), { timeout: 60_000 });
  for (const answer of finished) {
    expect(codeOf(answer)).toBe('429 rate_limited');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const beside = await pull();
  expect(beside.answer.status).toBe(200);
  expect(countsOf(beside.calls)).toEqual(countsOf(quiet.calls));
  expect((await api.get(`/audit/${place.owner.organization.id}`, place.owner.session)).status).toBe(200);
  open();
  await Promise.all(asked);

  expect(finished.slice(6).map(({ status }) => status)).toEqual([200, 200]);
  expect(await find(running())).not.toMatchObject({ first: {} });
  expect(await find(running())).not.toMatchObject({ second: {} });
}, 120_000);

it('each of them gets a place again once the others have ended, one after the other', async () => {
  for (const path of [...questions, ...questions]) expect((await ask(path)).status).toBe(200);
});

it('takes no place for a caller without the right to ask', async () => {
  const developer = await place.member('developer');
  const stranger = (await openWorkplace(api)).owner;
  for (const path of questions) {
    expect((await api.get(path, developer.session)).status).toBe(403);
    expect((await api.get(path, stranger.session)).status).toBe(404);
  }
  expect(await find(running())).toBeUndefined();
});

it('waits for the functions of another process until their lease ends, and no longer', async () => {
  const askWhileHeldUntil = async (endsAt: number) => {
    const other = { holder: 'another process', endsAt };
    await transact([put(running(), { first: other, second: other, expiresAt: endsAt })]);
    return (await ask()).status;
  };
  expect(await askWhileHeldUntil(nowSeconds() + 600)).toBe(429);
  expect(await askWhileHeldUntil(nowSeconds() - 1)).toBe(200);
  // It has taken one place, and left it; the other one still has its dead holder.
  const { first, second } = (await find(running())) ?? {};
  expect([first?.holder, second?.holder].toSorted()).toEqual(['another process', undefined]);
});

it('leaves alone the place of a later question that got it when the lease had ended', async () => {
  const { open, opened } = gate();
  const late = withFault(holding(opened), headers => ask(undefined, headers));
  await vi.waitFor(async () => expect(await find(running())).toBeDefined(), { timeout: 60_000 });
  const later = { holder: 'a later question', endsAt: nowSeconds() + 600 };
  await transact([put(running(), { first: later, second: later, expiresAt: later.endsAt })]);
  open();

  expect((await late).status).toBe(200);
  expect(await find(running())).toMatchObject({ first: later, second: later });
}, 120_000);

it('frees its place if it fails, and answers if the place can’t be freed', async () => {
  const askWhile = async (isFailing: (call: AwsCall) => boolean) => {
    const call: Conductor['call'] = (call, send) => (isFailing(call) ? Promise.reject(new Error('a fault')) : send());
    return (await withFault({ conductor: { call } }, headers => ask(undefined, headers))).status;
  };
  expect(await askWhile(isLogRead)).toBe(500);
  const { first, second } = (await find(running())) ?? {};
  expect([first, second]).toEqual([undefined, undefined]);

  let writes = 0;
  const isRelease = ({ operation }: AwsCall) => operation === 'TransactWriteItems' && ++writes === 2;
  expect(await askWhile(isRelease)).toBe(200);
  expect(Object.keys((await find(running())) ?? {})).toContain('expiresAt');
});
