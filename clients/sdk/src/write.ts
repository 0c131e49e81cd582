import type { DryRun } from './answers.ts';
import { GatewayError, HoldfastError, isObject, RevisionMismatch, VersionMismatch } from './errors.ts';
import { type GivenOptions, operationOf } from './request.ts';
import type { Method, Transport } from './transport.ts';

/** What is left of the call that a look belongs to. */
interface Limits {
  signal: AbortSignal | undefined;
  deadline: number;
}

/** A change of secrets, and how to see whether it was made already. */
export interface Write<T> {
  method: Method;
  template: string;
  options: GivenOptions;
  /** Of the one key that is set. */
  ifVersion?: number | undefined;
  /**
   * Looks once at how things are. @returns what a second try finds where they are as wanted, else undefined.
   * @throws HoldfastError where that can't be seen
   */
  look: (after: HoldfastError, limits: Limits) => Promise<T | undefined>;
}

/**
 * Where an attempt is lost on its way back, the next one may meet its own change: 412 one step further, or 404 for a key
 * that it deleted. Then one look decides, and the answer is the one that a second try without a condition gets.
 */
export async function write<T>(
  transport: Transport,
  { method, template, options, ifVersion, look }: Write<T>,
): Promise<T> {
  const deadline = transport.deadline();
  try {
    return (await transport.send({ ...operationOf(method, template, options), deadline })).body as T;
  } catch (error) {
    if (!(error instanceof HoldfastError) || !error.outcomeUnknown) throw error;
    const mayBeOwn =
      (error instanceof RevisionMismatch && error.currentRevision === Number(options.ifRevision) + 1) ||
      (error instanceof VersionMismatch && error.currentVersion === Number(ifVersion) + 1) ||
      error.code === 'secret_not_found';
    if (!mayBeOwn) throw error;
    const found = await look(error, { signal: options.signal, deadline }).catch(failure => {
      // A caller who may write but not read gets the first error, which says that the outcome is not known.
      if (failure instanceof HoldfastError) return undefined;
      throw failure;
    });
    if (found === undefined) throw error;
    return found;
  }
}

/** What a change would do, and the means to do exactly that. */
export class Plan<T> {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  readonly deleted: readonly string[];
  /** Left alone: keys that the target has already (promotion without `overwrite`), or keys to delete that are not there. */
  readonly skipped: readonly string[];
  /** The revision that the plan was made on, and that `apply` demands. */
  readonly revision: number;
  readonly #apply: (signal: AbortSignal | undefined) => Promise<T>;

  constructor({ plan, revision }: DryRun, apply: (signal: AbortSignal | undefined) => Promise<T>) {
    this.created = plan.created;
    this.updated = plan.updated;
    this.unchanged = plan.unchanged;
    this.deleted = plan.deleted;
    this.skipped = plan.skipped;
    this.revision = revision;
    this.#apply = apply;
  }

  /** Makes the change on that very revision. @throws RevisionMismatch where the environment has moved on */
  apply({ signal }: { signal?: AbortSignal } = {}): Promise<T> {
    return this.#apply(signal);
  }
}

type Change = Pick<Write<unknown>, 'method' | 'template' | 'options'>;

async function dryRun(transport: Transport, { method, template, options }: Change, deadline?: number): Promise<DryRun> {
  const dry = operationOf(method, template, { ...options, query: { ...options.query, dryRun: true } });
  const { body, status } = await transport.send({ ...dry, deadline });
  if (isObject(body) && body.dryRun === true && isObject(body.plan)) return body as unknown as DryRun;
  throw new GatewayError('The service did not answer with a plan.', { code: 'gateway_error', status });
}

export async function plan<T>(transport: Transport, change: Write<T>): Promise<Plan<T>> {
  const answer = await dryRun(transport, change);
  return new Plan<T>(answer, signal =>
    write(transport, { ...change, options: { ...change.options, ifRevision: answer.revision, signal } }),
  );
}

/** Looks by a dry run, where only the service knows the values: nothing left to do = as wanted. */
export function lookByDryRun<T>(
  transport: Transport,
  { method, template, options }: Change,
  found: (answer: DryRun) => T,
): Write<T>['look'] {
  return async (_, { signal, deadline }) => {
    const unconditional = { ...options, ifRevision: undefined, signal };
    const answer = await dryRun(transport, { method, template, options: unconditional }, deadline);
    const { created, updated, deleted } = answer.plan;
    return created.length + updated.length + deleted.length === 0 ? found(answer) : undefined;
  };
}
