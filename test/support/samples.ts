import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '#lib/contracts/routes.ts';
import type { Answer, Api } from './api.ts';
import { type Prepare, type Samples, sample } from './derive-sample.ts';
import { sampleFileOf } from './documented-request.ts';
import type { Prepared, SampleRequest } from './sample-requests.ts';

/** A request of an operation that succeeds. */
export interface OperationSample {
  /** The operation's id, followed by a word if the operation has several forms. */
  name: string;
  operationId: string;
  /** The file that holds it, or has to if the request in the operation's documentation can't succeed. */
  file: string;
  prepare(api: Api): Promise<Prepared>;
}

const root = join(import.meta.dirname, '../..');
const files = [...new Set(routes.map(sampleFileOf))].filter(file => existsSync(join(root, file)));
const tables = await Promise.all(
  files.map(async file => ((await import(join(root, file))) as { samples: Samples }).samples),
);
const written: [string, Prepare][] = tables.flatMap(Object.entries);

/** One or more of every operation: those in its area's file, or else the one that its contract describes. */
export const samples: readonly OperationSample[] = routes.flatMap(contract => {
  const own = written.filter(([name]) => name.split(' ')[0] === contract.operationId);
  const all: [string, Prepare][] = own.length > 0 ? own : [[contract.operationId, sample()]];
  return all.map(([name, prepare]) => ({
    name,
    operationId: contract.operationId,
    file: sampleFileOf(contract),
    prepare: (api: Api) => prepare(contract, api),
  }));
});

const names = samples.map(({ name }) => name);
const unknown = written.map(([name]) => name).filter(name => !names.includes(name));
if (unknown.length > 0) throw new Error(`There are samples of unknown operations: ${unknown.join(', ')}.`);

/** Says which sample has an unexpected response, and where it is written. */
export const failureOf = ({ name, file }: OperationSample, { status, body }: Answer) =>
  `The sample ${name} got ${status} ${JSON.stringify(body)}. Whatever its contract doesn’t say belongs in ${file}.`;

export async function send(api: Api, { method, path, as, body, headers }: SampleRequest): Promise<Answer> {
  const answer = await api.call(method, path, { as, body, headers });
  return { ...answer, status: statusOf(answer) };
}

/** The status that a failed sign-in of a browser would have if it were not sent to the log-in page. */
function statusOf({ status, headers }: Answer): number {
  const [, code] = /\/log-in#error=(\w+)$/.exec(headers.get('location') ?? '') ?? [];
  if (status !== 302 || code === undefined) return status;
  if (code === 'temporarily_unavailable' || code === 'provider_unavailable') return 503;
  return code === 'second_factor_required' ? 401 : 400;
}
