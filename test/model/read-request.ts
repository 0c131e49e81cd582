import type { AwsCall } from '../support/observe-calls.ts';
import { type Expected, type Head, type ItemWrite, identityOf, type Request } from './protocol.ts';

/* Reads the code's write as a request of the model. Fails on any condition or attribute that the model lacks. */

// biome-ignore lint/suspicious/noExplicitAny: the parts of a transaction, as the document client takes them
type Part = any;

/** The request; undefined for a write outside the environment's partition. */
export function readRequest({ operation, input }: AwsCall, partition: string): Request | undefined {
  const parts: Part[] = operation.startsWith('Transact')
    ? input.TransactItems.map((item: Part) => ({ kind: Object.keys(item)[0], ...(Object.values(item)[0] as object) }))
    : [{ kind: operation.replace(/Item$/, ''), ...input }];
  // Hints that nothing depends on: tickets here, and some attributes of the state below.
  const own = parts.filter(part => keyOf(part).pk === partition && keyOf(part).sk !== 'TICKETS');
  const [audit] = parts.filter(part => keyOf(part).pk.startsWith('AUDIT#'));
  if (own.length === 0) return undefined;
  const state = own.find(part => keyOf(part).sk === 'HEAD');
  const copies = own.filter(part => keyOf(part).sk.startsWith('FENCE#'));
  // A change's own record is written with it, and read by nothing in the model.
  const records = own.filter(part => keyOf(part).sk.startsWith('REVISION#'));
  const items = own.filter(part => part !== state && !copies.includes(part) && !records.includes(part));
  if (state === undefined) return copies.length === 0 ? readMove(items) : readStep(copies, items);

  const condition = conditionOf(state);
  const change = changeOf(state);
  if ('deadHeadsUpTo' in change && change.deadHeadsUpTo === undefined) {
    const isOnly = items.length === 0 && Object.keys(change).length === 1;
    if (!isOnly || Object.keys(condition).toSorted().join() !== 'deadHeadsUpTo =,id =') throw new Error('Unknown.');
    return { kind: 'moved', fence: 0, upTo: numberAt(condition, 'deadHeadsUpTo =') };
  }
  const sets = Object.keys(change).filter(name => !['kind', 'v', 'deadHeadsUpTo', ...hints].includes(name));
  if (sets.length === 0 && own.length === 1) return undefined;
  const fence = numberAt(condition, 'fence =');
  const demands = Object.keys(condition).filter(test => test !== 'id =' && test !== 'fence =');
  const isLeft = change.deadHeadsUpTo !== undefined && change.deadHeadsUpTo === change.revision;
  if ('deadHeadsUpTo' in change && !isLeft) throw new Error('Dead heads are left by a commit, at its revision.');
  const left = isLeft ? ({ leavesDeadHeads: true } as const) : {};
  const content = { change: '', revision: change.revision, digest: '', made: {}, ...left };
  requireRecord(records, change.revision);
  requireOnly(copies, change.fence, sets);
  switch (`${demands.toSorted().join(', ')} → ${sets.toSorted().join(', ')}`) {
    case 'approvals absent, status = → add valueCount, digest, fence, revision, secretCount, sizeBytes':
      requireAudit(audit, fence, change.fence);
      return { kind: 'commit small', fence, writes: items.map(itemWrite), expected: expectedOf(items), ...content };
    case 'status = → fence, pending':
      return { kind: 'acquire', fence, copies: copies.length };
    case 'approvals absent, pending exists, status = → add valueCount, digest, pending, revision, secretCount, sizeBytes':
      requireAudit(audit, fence, fence + 1);
      return { kind: 'commit large', fence, copies: copies.length, ...content };
    case 'pending exists → fence, pending':
      return { kind: 'raise lease', fence, copies: copies.length };
    case 'pending exists, pending.heartbeat = → fence, pending':
      return { kind: 'raise lease', fence, beat: numberAt(condition, 'pending.heartbeat ='), copies: copies.length };
    case ' → fence':
      return { kind: 'raise state', fence };
    case ' → fence, keyVersion':
      return { kind: 'raise state', fence, keyVersion: change.keyVersion };
    case 'pending exists → fence, keyVersion, pending':
      return { kind: 'raise lease', fence, copies: copies.length, keyVersion: change.keyVersion };
    case 'pending exists → pending':
      return { kind: 'release', fence, copies: copies.length };
    case 'pending exists, pending.heartbeat < → pending.heartbeat':
      return { kind: 'beat', fence, beat: change['pending.heartbeat'] };
    default:
      throw new Error(`The model knows no write of the state that demands ${demands} and sets ${sets}.`);
  }
}

/** The ticket served last, and where to cut an environment. */
const hints = ['served', 'pages'];

function readStep(copies: readonly Part[], items: readonly Part[]): Request {
  const [copy] = copies;
  const isOne = copies.length === 1 && copy.kind === 'Update' && Object.keys(addedBy(copy)).join() === 'steps';
  if (!isOne) throw new Error('A step checks one copy of the token, and counts itself there.');
  const condition = conditionOf(copy);
  if (Object.keys(condition).toSorted().join() !== 'environmentId =,fence =') throw new Error('An unknown check.');
  if (items.some(item => item.ConditionExpression !== undefined)) throw new Error('A step’s writes have no condition.');
  const lane = Number(keyOf(copy).sk.slice('FENCE#'.length));
  return { kind: 'step', lane, fence: numberAt(condition, 'fence ='), writes: items.map(itemWrite) };
}

/** Heads of deleted keys are only removed if they are exactly those that were read, each with its tombstone. */
function readMove(items: readonly Part[]): Request {
  const heads: Record<string, Head> = {};
  for (const [index, part] of items.entries()) {
    const { item, head } = itemWrite(part);
    const before = items[index - 1];
    if (part.kind === 'Put') {
      const isItsTombstone = before?.kind === 'Delete' && item === `†${itemWrite(before).item}`;
      if (!isItsTombstone || head === null) throw new Error('A tombstone is put with the removal of its head.');
      heads[item.slice(1)] = head;
      continue;
    }
    const condition = conditionOf(part);
    const tests = Object.keys(condition).toSorted().join();
    if (part.kind !== 'Delete' || tests !== 'deleted =,fence =,revision =,version =') {
      throw new Error(`A move that demands ${tests}.`);
    }
  }
  return { kind: 'move', fence: 0, heads, writes: items.map(itemWrite) };
}

/** Only a commit records its revision, and only once. */
function requireRecord(records: readonly Part[], revision: number | undefined): void {
  const isFit = records.every(({ kind, Item }) => kind === 'Put' && Item.changeId !== undefined);
  if (!isFit || records.length !== (revision === undefined ? 0 : 1)) throw new Error('A commit records its revision.');
}

/** Copies of the token are put with the token that the state gets, and removed where the pending change ends. */
function requireOnly(copies: readonly Part[], fence: number | undefined, sets: readonly string[]): void {
  const isEnd = sets.includes('pending') && fence === undefined;
  for (const copy of copies) {
    const isFit = isEnd ? copy.kind === 'Delete' : copy.kind === 'Put' && copy.Item.fence === fence;
    // A takeover requires that no step was made since it looked. In the model, it may happen at any time.
    const tests = Object.keys(conditionOf(copy)).filter(test => test !== 'steps =');
    if (!isFit || tests.length > 0) throw new Error(`A ${copy.kind} of a copy of the token.`);
  }
}

function requireAudit(audit: Part, fence: number, next: number): void {
  const isNew = audit?.kind === 'Put' && Object.keys(conditionOf(audit)).join() === 'pk absent';
  if (!isNew || next !== fence + 1) throw new Error('A commit puts its audit entry if it is new.');
}

function itemWrite(part: Part): ItemWrite {
  const { sk } = keyOf(part);
  const [, name = '', version] = sk.split('#');
  const newest = sk.startsWith('TOMBSTONE#') ? `†${name}` : name;
  const item = version === undefined ? newest : `${name}#${Number(version)}`;
  if (part.kind === 'Delete') return { item, head: null };
  const { revision, fence = 0, keyVersion, version: number, deleted } = part.Item;
  const head: Head = {
    version: number,
    revision,
    fence,
    ...(deleted === true ? { key: 0, deleted } : { key: keyVersion }),
  };
  return { item, head };
}

/** What each head and version may be at the commit. */
function expectedOf(items: readonly Part[]): Expected {
  const expected: Record<string, string[]> = {};
  for (const part of items) {
    const { item } = itemWrite(part);
    // Alternatives are in brackets.
    const alternatives = (part.ConditionExpression ?? '').split(' OR ').filter((text: string) => text !== '');
    const identities = alternatives.map((text: string) => {
      const condition = conditionOf({ ...part, ConditionExpression: text.replace(/^\((.*)\)$/, '$1') });
      const tests = Object.keys(condition).toSorted().join();
      if (tests === 'pk absent') return identityOf(undefined);
      if (tests !== 'fence =,revision =,version =' || item.includes('#')) throw new Error(`${item} demands ${tests}.`);
      return identityOf({ version: numberAt(condition, 'version ='), fence: numberAt(condition, 'fence =') });
    });
    if (identities.length > 0) expected[item] = identities;
  }
  return expected;
}

function keyOf(part: Part): { pk: string; sk: string } {
  return part.Key ?? part.Item;
}

function namesIn(part: Part, path: string): string {
  return path
    .split('.')
    .map(name => part.ExpressionAttributeNames[name])
    .join('.');
}

function numberAt(values: Record<string, number>, name: string): number {
  const value = values[name];
  if (value === undefined) throw new Error(`A write has no ${name}.`);
  return value;
}

/** `attribute test` → value. */
function conditionOf(part: Part): Record<string, number> {
  const tests: Record<string, number> = {};
  for (const test of (part.ConditionExpression ?? '').split(' AND ').filter((text: string) => text !== '')) {
    const call = /^attribute_(not_)?exists\((\S+)\)$/.exec(test);
    const [path = '', operator = '', value = ''] = test.split(' ');
    const name = namesIn(part, call?.[2] ?? path);
    if (call !== null && name === 'fence') tests['fence ='] = 0;
    else if (call !== null) tests[`${name} ${call[1] === undefined ? 'exists' : 'absent'}`] = 1;
    else tests[`${name} ${operator}`] = part.ExpressionAttributeValues[value];
  }
  return tests;
}

/** attribute → what is added to it. */
function addedBy(part: Part): Record<string, number> {
  const [, added = ''] = /^ADD (.*)$/.exec(part.UpdateExpression) ?? [];
  return Object.fromEntries(
    added.split(', ').map(one => {
      const [path = '', value = ''] = one.split(' ');
      return [namesIn(part, path), part.ExpressionAttributeValues[value]];
    }),
  );
}

/** attribute → what it is set to; undefined if it is removed. `add attribute` → what is added to it. */
// biome-ignore lint/suspicious/noExplicitAny: values of any attribute
function changeOf(part: Part): Record<string, any> {
  const change: Record<string, unknown> = {};
  const [, set = '', added = '', removed = ''] =
    /^(?:SET (.*?))?(?: ?ADD (.*?))?(?: ?REMOVE (.*))?$/.exec(part.UpdateExpression) ?? [];
  for (const assignment of set.split(', ').filter(text => text !== '')) {
    const [path = '', value = ''] = assignment.split(' = ');
    change[namesIn(part, path)] = part.ExpressionAttributeValues[value];
  }
  for (const addition of added.split(', ').filter(text => text !== '')) {
    const [path = '', value = ''] = addition.split(' ');
    change[`add ${namesIn(part, path)}`] = part.ExpressionAttributeValues[value];
  }
  for (const path of removed.split(', ').filter(text => text !== '')) change[namesIn(part, path)] = undefined;
  return change;
}
