import { type Capacity, measured } from './capacity.ts';
import { type AwsCall, type Conductor, conduct } from './observe-calls.ts';

/** An AWS call as it was made. What a test counts is derived from a list of these. */
export interface RecordedCall extends AwsCall, Capacity {
  /** 1 if the call waited for no other, 2 if it waited for one of those, and so on. */
  roundTrip: number;
}

export interface Recorder extends Conductor {
  /** In the order of the calls. */
  calls: RecordedCall[];
}

/** Long enough that a call of the same round trip has started, also while other tests use the processors. */
const quietMs = 24;

/** A timer that fires later than this shows that the process was busy or paused, so a call may not have had its turn. */
const latestMs = 8;

/** Sends calls in round trips, so their number is the longest chain of calls, however fast the machine is. */
export function recorder(): Recorder {
  const calls: RecordedCall[] = [];
  let roundTrip = 0;
  let waiting: ((roundTrip: number) => Promise<() => void>)[] = [];
  let quiet: NodeJS.Timeout | undefined;
  let isSending = false;

  const sendRoundTrip = async () => {
    const sends = waiting;
    waiting = [];
    isSending = true;
    roundTrip += 1;
    const settled = await Promise.all(sends.map(send => send(roundTrip)));
    isSending = false;
    for (const settle of settled) settle();
    if (waiting.length > 0) awaitQuiet();
  };
  const awaitQuiet = () => {
    clearTimeout(quiet);
    if (isSending) return;
    const since = performance.now();
    quiet = setTimeout(() => {
      const isLate = performance.now() - since > quietMs + latestMs;
      if (isLate) awaitQuiet();
      else void sendRoundTrip();
    }, quietMs);
  };

  return {
    calls,
    call(call, send) {
      if (isHeartbeat(call)) return send();
      const recorded: RecordedCall = { ...call, roundTrip: 0, readUnits: 0, writeUnits: 0 };
      calls.push(recorded);
      return new Promise((resolve, reject) => {
        waiting.push(async number => {
          recorded.roundTrip = number;
          try {
            if (!call.service.startsWith('DynamoDB')) {
              const answer = await send();
              return () => resolve(answer);
            }
            const { answer, capacity } = await measured(call, send);
            Object.assign(recorded, capacity);
            return () => resolve(answer);
          } catch (error) {
            return () => reject(error);
          }
        });
        awaitQuiet();
      });
    },
  };
}

/** The writer of a large change sends one each second, so their number depends on how fast the machine is. */
function isHeartbeat({ operation, input }: AwsCall): boolean {
  if (!operation.startsWith('TransactWrite') || input.TransactItems.length !== 1) return false;
  return Object.values(input.TransactItems[0].Update?.ExpressionAttributeNames ?? {}).includes('heartbeat');
}

export async function recordCalls<T>(work: () => Promise<T>): Promise<{ result: T; calls: RecordedCall[] }> {
  const { calls, ...conductor } = recorder();
  return { result: await conduct(conductor, work), calls };
}

/** The round trips that these calls took. */
export function roundTripsOf(calls: readonly RecordedCall[]): number {
  return new Set(calls.map(({ roundTrip }) => roundTrip)).size;
}

/** What an invocation requested from AWS. */
export interface Counts extends Capacity {
  roundTrips: number;
  calls: number;
  kmsCalls: number;
  sqsMessages: number;
  mails: number;
}

export function countsOf(calls: readonly RecordedCall[]): Counts {
  const sum = (numberOf: (call: RecordedCall) => number) => calls.reduce((total, call) => total + numberOf(call), 0);
  const ofService = (name: string) => calls.filter(({ service }) => service === name);
  return {
    roundTrips: roundTripsOf(calls),
    calls: calls.length,
    readUnits: sum(({ readUnits }) => readUnits),
    writeUnits: sum(({ writeUnits }) => writeUnits),
    kmsCalls: ofService('KMS').length,
    sqsMessages: ofService('SQS').reduce((total, { input }) => total + (input.Entries?.length ?? 1), 0),
    mails: ofService('SESv2').length,
  };
}
