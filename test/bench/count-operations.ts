import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { type Answer, type Api, createProject, createToken } from '../support/api.ts';
import { recordRequest } from '../support/observed-api.ts';
import { seedPerson } from '../support/people.ts';
import { type Counts, countsOf } from '../support/record-calls.ts';
import { expectStatus, type SampleRequest } from '../support/sample-requests.ts';
import { failureOf, samples, send } from '../support/samples.ts';

/** The AWS calls of one operation, with its data keys in memory. */
export interface OperationCounts extends Counts {
  operation: string;
  /** The answer's body, rounded up to 100 bytes. CloudFront charges for sending it. */
  responseBytes: number;
}

const columns = ['roundTrips', 'calls', 'readUnits', 'writeUnits', 'kmsCalls', 'sqsMessages', 'mails'] as const;
type Bounds = Partial<Record<(typeof columns)[number], number>>;

/** The limits in the design (docs/performance.md). */
const bounds: Readonly<Record<string, Bounds>> = {
  'pull 50 secrets of 200 B': { roundTrips: 2, calls: 4, readUnits: 6, writeUnits: 1, kmsCalls: 0 },
  'pull 50 secrets of 200 B, busy organization': { roundTrips: 2, calls: 3, readUnits: 3, writeUnits: 1, kmsCalls: 0 },
  'pull 50 secrets of 200 B as JSON values': { roundTrips: 2, calls: 4, readUnits: 6, writeUnits: 1, kmsCalls: 0 },
  'pull 50 secrets of 200 B, first time': { roundTrips: 2, calls: 4, readUnits: 12, writeUnits: 1, kmsCalls: 0 },
  'pull 50 secrets of 200 B, one changed': { roundTrips: 3, calls: 5, readUnits: 13, writeUnits: 1, kmsCalls: 0 },
  // One read unit and one write unit more for a layer, and another read unit for another project's data keys.
  'pull 50 secrets of 200 B, with a layer': { roundTrips: 2, calls: 6, readUnits: 7, writeUnits: 2, kmsCalls: 0 },
  'pull 50 secrets of 200 B, with a layer of another project': {
    roundTrips: 2,
    calls: 7,
    readUnits: 8,
    writeUnits: 2,
    kmsCalls: 0,
  },
  'pull with a layer, If-None-Match matches': { roundTrips: 1, calls: 3, readUnits: 5, kmsCalls: 0 },
  'pull, If-None-Match matches': { roundTrips: 1, calls: 3, readUnits: 4, kmsCalls: 0 },
  'set one of 50': { roundTrips: 3, calls: 8, writeUnits: 12, kmsCalls: 0 },
  'set one of 50, a webhook matches': { roundTrips: 4, calls: 8, writeUnits: 12, kmsCalls: 0 },
  // What a change reads says whether it needs approval.
  'set one of 50, refused without approval': { roundTrips: 1, calls: 4, writeUnits: 0, kmsCalls: 0 },
  // A dry run reads again what it decided on. Then the values are stored before the proposal.
  'create-proposal': { roundTrips: 6, kmsCalls: 0 },
  'create-proposal promotion': { roundTrips: 6, kmsCalls: 0 },
  'create-proposal restore': { roundTrips: 6, kmsCalls: 0 },
  'rebase-proposal': { roundTrips: 5, kmsCalls: 0 },
  // Before the first daily run, with the heads of the described keys.
  'list-due': { roundTrips: 5, kmsCalls: 0 },
  'import-secrets large': { roundTrips: 6, kmsCalls: 0 },
  // After its commit it finds the dead heads it left, moves them, and records that.
  'bulk-delete-secrets large': { roundTrips: 7, kmsCalls: 0 },
  // It takes and frees its place among the long questions that may run at once.
  'feed-audit-entries': { roundTrips: 5, kmsCalls: 1 },
  // Who is asked about is only known from the entries, and the histories to read only from both.
  'get-exposure': { roundTrips: 6, kmsCalls: 0 },
  // It must ask the provider in between: it uses up the attempt before, and only the answer says whose account it is.
  'complete-provider-sign-in': { roundTrips: 7, kmsCalls: 1 },
  'complete-provider-sign-in of a linked account with a factor': { roundTrips: 7, kmsCalls: 1 },
  // Once for an account and a provider: the e-mail about the link is counted and sent after the commit.
  'log-in that makes a link': { roundTrips: 7, kmsCalls: 1 },
  'exchange-assertion': { roundTrips: 3, calls: 3, kmsCalls: 0 },
  // Operators run it a few times a year: it finds the person first, and queues the mails before its commit.
  'start-recovery': { roundTrips: 7, kmsCalls: 1 },
  'advance-recovery complete': { roundTrips: 5, kmsCalls: 1 },
  // A page goes through environment after environment, and each history is read before its values.
  'export-organization': { roundTrips: 15, kmsCalls: 0 },
  // Those who may answer are mailed after the commit, each at most once an hour.
  'request-grant': { roundTrips: 5, kmsCalls: 1 },
  // The notice is sent before the link, which must not be usable without it.
  'change-email': { roundTrips: 5, kmsCalls: 1 },
  // Once for a change or an account: copies of the address change, and what is left ends, before the response.
  'confirm-email-change': { roundTrips: 8, kmsCalls: 1 },
  'undo-email-change': { roundTrips: 9, kmsCalls: 1 },
  'close-account': { roundTrips: 12, kmsCalls: 1 },
  'import 500': { roundTrips: 6, calls: 40, writeUnits: 2500, kmsCalls: 0 },
};

function boundsOf(operation: string): Bounds {
  return bounds[operation] ?? { roundTrips: 4, kmsCalls: 1 };
}

export async function countRequest(
  api: Api,
  request: SampleRequest,
): Promise<{ answer: Answer; counts: Omit<OperationCounts, 'operation'> }> {
  const { answer, calls } = await recordRequest(headers =>
    send(api, { ...request, headers: { ...request.headers, ...headers } }),
  );
  return { answer, counts: { ...countsOf(calls), responseBytes: sizeOf(answer) } };
}

function sizeOf({ body }: Answer): number {
  if (body === undefined) return 0;
  return Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 100) * 100;
}

/** Counts the hot operations of the design, then one sample request of every operation. */
export async function countOperations(api: Api): Promise<OperationCounts[]> {
  return [...(await countHotOperations(api)), ...(await countSamples(api))];
}

/** As if the process had not served the organization in the last second, whatever prepared the request. */
const forgetAccess = () => resetProcessMemory('kept-access');

async function countHotOperations(api: Api): Promise<OperationCounts[]> {
  const person = await seedPerson();
  const { id, slug } = person.organization;
  await createProject(api, person);
  const as = await createToken(api, person);
  const path = `/secrets/${slug}/shop`;
  const secrets = Array.from({ length: 50 }, (_, index) => ({ key: `SECRET_${index}`, value: 'x'.repeat(200) }));
  // Two imports, because one of more than 40 keys reads, and keeps, the whole environment.
  for (const some of [secrets.slice(0, 25), secrets.slice(25)]) {
    await expectStatus(api.post(`${path}/dev/bulk`, { secrets: some }, as), 200);
  }
  const rows: OperationCounts[] = [];
  const count = async (operation: string, request: Omit<SampleRequest, 'as'>, status: number, isBusy = false) => {
    if (!isBusy) forgetAccess();
    const { answer, counts } = await countRequest(api, { ...request, as });
    if (answer.status !== status) throw new Error(`${operation}: ${answer.status} ${JSON.stringify(answer.body)}`);
    rows.push({ operation, ...counts });
  };
  const pull = { method: 'GET', path: `${path}/dev` };
  await count('pull 50 secrets of 200 B, first time', pull, 200);
  await count('pull 50 secrets of 200 B', pull, 200);
  for (let before = 0; before < 3; before += 1) await expectStatus(api.get(pull.path, as), 200);
  await count('pull 50 secrets of 200 B, busy organization', pull, 200, true);
  await count('pull 50 secrets of 200 B as JSON values', { method: 'GET', path: `${path}/dev?format=json` }, 200);
  const headers = { 'if-none-match': '"2"' };
  await count('pull, If-None-Match matches', { method: 'GET', path: `${path}/dev`, headers }, 304);
  await createProject(api, person, 'Shared');
  for (const layer of ['shop/production', 'shared/production']) {
    await expectStatus(api.post(`/secrets/${slug}/${layer}/bulk`, { secrets: secrets.slice(0, 25) }, as), 200);
    await expectStatus(api.get(`/secrets/${slug}/${layer}`, as), 200);
  }
  const layered = (layer: string) => ({ method: 'GET', path: `${path}/dev?layers=${layer}` });
  await count('pull 50 secrets of 200 B, with a layer', layered('shop/production'), 200);
  await count('pull 50 secrets of 200 B, with a layer of another project', layered('shared/production'), 200);
  const tag = { headers: { 'if-none-match': '"1.2"' } };
  await count('pull with a layer, If-None-Match matches', { ...layered('shop/production'), ...tag }, 304);
  const change = (value: string) => ({ method: 'PUT', path: `${path}/dev`, body: { key: 'SECRET_7', value } });
  await count('set one of 50', change('y'.repeat(200)), 200);
  await count('pull 50 secrets of 200 B, one changed', pull, 200);
  const webhook = { url: 'http://127.0.0.1:9/', events: ['secret.updated'] };
  await expectStatus(api.post(`/webhooks/${id}`, webhook, person.session), 201);
  await count('set one of 50, a webhook matches', change('z'.repeat(200)), 200);
  const environment = `/projects/${id}/shop/environments/dev`;
  await expectStatus(api.patch(environment, { approvals: 1 }, person.session), 200);
  await count('set one of 50, refused without approval', change('x'.repeat(200)), 409);
  const many = Array.from({ length: 500 }, (_, index) => ({ key: `IMPORTED_${index}`, value: 'x'.repeat(200) }));
  await count('import 500', { method: 'POST', path: `${path}/staging/bulk`, body: { secrets: many } }, 200);
  return rows;
}

async function countSamples(api: Api): Promise<OperationCounts[]> {
  const rows: OperationCounts[] = [];
  for (const sample of samples) {
    const { request, works } = await sample.prepare(api);
    forgetAccess();
    const { answer, counts } = await countRequest(api, request);
    if (!works.includes(answer.status)) throw new Error(failureOf(sample, answer));
    rows.push({ operation: sample.name, ...counts });
  }
  return rows;
}

export function beyondBounds(row: OperationCounts): string[] {
  const limits = boundsOf(row.operation);
  return columns.flatMap(name => {
    const limit = limits[name] ?? Number.POSITIVE_INFINITY;
    return row[name] > limit ? [`${row.operation}: ${name} is ${row[name]}, at most ${limit}`] : [];
  });
}

/** The columns in which a row exceeds the committed one. A new operation has none until `npm run bench` writes it. */
export function worseThan(committed: OperationCounts | undefined, row: OperationCounts): string[] {
  if (committed === undefined) return [];
  return columns.flatMap(name =>
    row[name] > committed[name] ? [`${row.operation}: ${name} is ${row[name]}, was ${committed[name]}`] : [],
  );
}

export function renderCounts(rows: readonly OperationCounts[]): string {
  const cell = (row: OperationCounts, name: (typeof columns)[number]) => {
    const limit = boundsOf(row.operation)[name];
    return limit === undefined ? String(row[name]) : `${row[name]} (≤ ${limit})`;
  };
  return [
    '| operation | round trips | calls | read units | write units | KMS | messages | mails |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(row => `| ${row.operation} | ${columns.map(name => cell(row, name)).join(' | ')} |`),
    '',
  ].join('\n');
}
