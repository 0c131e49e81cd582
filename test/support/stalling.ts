import type { Answer } from './api.ts';
import { gate } from './gate.ts';
import type { AwsCall } from './observe-calls.ts';
import { withFault } from './observed-api.ts';

/** Sends a request whose first such call stalls until `meanwhile` is over, which begins after its calls so far. @throws if it makes no such call */
export async function stalling(
  stalls: (call: AwsCall) => boolean,
  send: (headers: Record<string, string>) => Promise<Answer>,
  meanwhile: () => Promise<unknown>,
): Promise<Answer> {
  let hasStalled = false;
  const answer = await stallingIfReached(stalls, send, () => {
    hasStalled = true;
    return meanwhile();
  });
  if (!hasStalled) throw new Error(`Answered without stalling: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/** The same, but a request that makes no such call returns its response, without `meanwhile`. */
export async function stallingIfReached(
  stalls: (call: AwsCall) => boolean,
  send: (headers: Record<string, string>) => Promise<Answer>,
  meanwhile: () => Promise<unknown>,
): Promise<Answer> {
  const arrived = gate();
  const released = gate();
  const others: Promise<unknown>[] = [];
  let hasStalled = false;
  const conductor = {
    async call(call: AwsCall, proceed: () => Promise<unknown>) {
      if (!hasStalled && stalls(call)) {
        hasStalled = true;
        arrived.open();
        await released.opened;
        return proceed();
      }
      const response = proceed();
      others.push(response);
      return response;
    },
  };
  const answer = withFault({ conductor }, send);
  await Promise.race([arrived.opened, answer]);
  try {
    if (hasStalled) {
      await Promise.allSettled(others);
      await meanwhile();
    }
  } finally {
    released.open();
  }
  return answer;
}
