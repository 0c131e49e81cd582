import { randomUUID } from 'node:crypto';
import type { LoadHandler } from '#infra/local/lambda/invoke.ts';
import { type Answer, type Api, startApi } from './api.ts';
import { type FaultKind, injectFault } from './inject-faults.ts';
import { type Conductor, conductedHandlers } from './observe-calls.ts';
import { type RecordedCall, recorder } from './record-calls.ts';

const header = 'x-test-conductor';
const conductors = new Map<string, Conductor>();

type Send<T> = (headers: Record<string, string>) => Promise<T>;

/** Only requests of `withFault` and `recordRequest` have conductors; the workers in this process have none. */
export function startObservedApi(settings: Record<string, string> = {}, load?: LoadHandler): Promise<Api> {
  const handlers = conductedHandlers((_, event) => {
    const { headers } = event as { headers?: Record<string, string | undefined> };
    return conductors.get(headers?.[header] ?? '');
  }, load);
  return startApi({ LOG_LEVEL: 'SILENT', ...settings }, handlers);
}

/** Sends a request with a fault at its nth AWS call, or with any other conductor, or with none. */
export async function withFault<T>(
  fault: { kind: FaultKind; position: number } | { conductor: Conductor } | undefined,
  send: Send<T>,
): Promise<T> {
  if (fault === undefined) return send({});
  const id = randomUUID();
  conductors.set(id, 'conductor' in fault ? fault.conductor : injectFault(fault.kind, fault.position));
  try {
    return await send({ [header]: id });
  } finally {
    conductors.delete(id);
  }
}

export async function recordRequest<T = Answer>(send: Send<T>): Promise<{ answer: T; calls: RecordedCall[] }> {
  const conductor = recorder();
  return { answer: await withFault({ conductor }, send), calls: conductor.calls };
}
