import { randomUUID } from 'node:crypto';
import { type Api, startApi } from './api.ts';
import { type FaultKind, injectFault } from './inject-faults.ts';
import { type Conductor, conductedHandlers } from './observe-calls.ts';

const header = 'x-test-conductor';
const conductors = new Map<string, Conductor>();

/** The whole service, with faults at the AWS calls of those requests that carry the headers of `withFault`. */
export function startDisturbedApi(): Promise<Api> {
  return startApi(
    { LOG_LEVEL: 'SILENT' },
    conductedHandlers((_, event) => {
      const { headers } = event as { headers?: Record<string, string | undefined> };
      return conductors.get(headers?.[header] ?? '');
    }),
  );
}

/** Sends a request with a fault at its nth AWS call, or with any other conductor; undefined: undisturbed. */
export async function withFault<T>(
  fault: { kind: FaultKind; position: number } | { conductor: Conductor } | undefined,
  send: (headers: Record<string, string>) => Promise<T>,
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
