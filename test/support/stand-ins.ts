import type { Invoke } from '#infra/local/lambda/invoke.ts';
import type { StandIns } from '#infra/local/stack.ts';
import { startKms } from '#infra/local/stand-ins/kms/kms.ts';
import { startLambda } from '#infra/local/stand-ins/lambda/lambda.ts';
import { startSes } from '#infra/local/stand-ins/ses.ts';
import { startSqs } from '#infra/local/stand-ins/sqs/sqs.ts';

const region = 'us-east-1';
/** Jobs wait for writes to become visible; on DynamoDB Local, a tenth of the time is enough. */
const delaySecondMs = 100;
let started: Promise<StandIns> | undefined;

/** The stand-ins of this process. Its stacks share them, because `lib` has one client for each service. */
export function startStandIns(): Promise<StandIns> {
  started ??= (async () => {
    let runFunction: Invoke = () => Promise.reject(new Error('No stack has started.'));
    const [kms, sqs, ses, lambda] = await Promise.all([
      startKms(undefined, region),
      startSqs(undefined, region, { delaySecondMs }),
      startSes(undefined),
      startLambda((...call) => runFunction(...call)),
    ]);
    const runWith = (invoke: Invoke) => {
      runFunction = invoke;
    };
    return { kms, sqs, ses, lambda: { ...lambda, runWith } };
  })();
  return started;
}
