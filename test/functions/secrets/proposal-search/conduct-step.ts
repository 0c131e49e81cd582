import { randomUUID } from 'node:crypto';
import type { Answer } from '#test/support/api.ts';
import { gate } from '#test/support/gate.ts';
import { type Fault, injectFault, isCurable, isTableWrite } from '#test/support/inject-faults.ts';
import type { AwsCall, Conductor } from '#test/support/observe-calls.ts';
import { withFault } from '#test/support/observed-api.ts';
import type { WriteFault } from './steps.ts';

/* Requests and steps of jobs with a fault at one of their writes, and which writes have met which faults. */

const isQueueWrite = ({ service }: AwsCall) => service === 'SQS';
const isWrite = (call: AwsCall) => isTableWrite(call) || isQueueWrite(call);

interface Keyed {
  pk?: string;
  sk?: string;
}

/** Such as `AUDIT`, `MEMBER` or `PROPOSAL`. */
function kindOf({ pk = '', sk = '' }: Keyed): string {
  const [partition = '', kind = ''] = [pk, sk].map(key => key.split('#')[0] as string);
  return ['AUDIT', 'UNFINISHED'].includes(partition) ? partition : kind;
}

/** The kinds of item that a call writes, such as `PROPOSAL`. */
function kindsOf({ operation, input }: AwsCall): string {
  const inTransaction = (input.TransactItems ?? []).flatMap((one: object) => Object.values(one));
  const inBatch = Object.values(input.RequestItems ?? {}).flat();
  const inPuts = (inBatch as Record<string, object>[]).flatMap(one => Object.values(one));
  const named = [...inTransaction, ...inPuts, input].flatMap(({ Item, Key }): Keyed[] => Item ?? Key ?? []);
  const kinds = named.map(kindOf);
  // A change of secrets is one kind of write, whichever keys it has.
  const isCommit = kinds.includes('REVISION');
  const withoutKeys = kinds.filter(kind => !isCommit || !['VERSION', 'TOMBSTONE', 'FENCE'].includes(kind));
  return `${operation} ${[...new Set(withoutKeys)].toSorted().join()}`;
}

const writes = new Map<string, { made: number; faults: Map<string, number> }>();

function noteWrite(action: string, call: AwsCall, kind: string | undefined): void {
  const name = `${action}: ${isQueueWrite(call) ? 'queue' : kindsOf(call)}`;
  const noted = writes.get(name) ?? { made: 0, faults: new Map<string, number>() };
  writes.set(name, noted);
  noted.made += 1;
  if (kind !== undefined) noted.faults.set(kind, (noted.faults.get(kind) ?? 0) + 1);
}

/** A line for each kind of write, with how often it was made and met each kind of fault. */
export function writesReached(): string {
  const lines = [...writes].map(([name, { made, faults }]) => {
    const counts = [...faults].toSorted().map(([kind, count]) => `${kind} ${count}`);
    return `${name}: ${made} times; ${counts.join(', ')}`;
  });
  return lines.toSorted().join('\n');
}

/** The writes that are made at least this often, and where no process has died before or after them. */
export function writesWithoutCrash(atLeast: number): string[] {
  return [...writes].flatMap(([name, { made, faults }]) =>
    made < atLeast || (faults.has('dies-before') && faults.has('dies-after')) ? [] : [name],
  );
}

interface Conducted {
  action: string;
  fault: WriteFault | undefined;
  /** The jobs of the world, which the test runs itself. */
  jobs: string[];
  /** Before a call is made. */
  before?(call: AwsCall): Promise<void> | undefined;
}

export function conductorOf({ action, fault, jobs, before }: Conducted): Conductor {
  let written = 0;
  let injected: Fault | undefined;
  const attempt = (call: AwsCall, send: () => Promise<unknown>) => injected?.attempt?.(call, send) ?? send();
  return {
    async call(call, send) {
      await before?.(call);
      if (isWrite(call)) {
        written += 1;
        const isHit = fault !== undefined && fault.nth === written;
        if (isHit) injected = injectFault(fault.kind, call.position);
        noteWrite(action, call, isHit ? fault.kind : undefined);
      }
      if (!isQueueWrite(call)) return send();
      const queue = async () => {
        jobs.push(call.input.MessageBody);
        return { MessageId: randomUUID() };
      };
      return attempt(call, queue).catch((error: unknown) => {
        if (fault !== undefined && isCurable(fault.kind)) return attempt(call, queue);
        throw error;
      });
    },
    attempt,
  };
}

/** Sends a request. Its first transaction waits until `meanwhile` is over. */
export async function sendConducted(
  conducted: Conducted,
  meanwhile: (() => Promise<void>) | undefined,
  send: (headers: Record<string, string>) => Promise<Answer>,
): Promise<Answer> {
  if (meanwhile === undefined) return withFault({ conductor: conductorOf(conducted) }, send);
  const arrived = gate();
  const released = gate();
  let hasStalled = false;
  const before = (call: AwsCall) => {
    if (hasStalled || !call.operation.startsWith('TransactWrite')) return undefined;
    hasStalled = true;
    arrived.open();
    return released.opened;
  };
  const answer = withFault({ conductor: conductorOf({ ...conducted, before }) }, send);
  await Promise.race([arrived.opened, answer]);
  try {
    if (hasStalled) await meanwhile();
  } finally {
    released.open();
  }
  return answer;
}
