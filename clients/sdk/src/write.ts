import type { DryRun } from './answers.ts';
import { GatewayError, HoldfastError, isObject, RevisionMismatch, VersionMismatch } from './errors.ts';
import { type GivenOptions, operationOf } from './request.ts';
import type { Deadline, Method, Transport } from './transport.ts';

/** The remaining limits of the call. */
interface Limits {
  signal: AbortSignal | undefined;
  deadline: Deadline;
}

/** A change of secrets, and a check whether it was already applied. */
export interface Write<T> {
  method: Method;
  template: string;
  options: GivenOptions;
  /** For a change of one key. */
  ifVersion?: number | undefined;
  /**
   * Reads the current state once. @returns the result of a repeated call if the change is in place, else undefined.
   * @throws HoldfastError if the state can't be read
   */
  look: (after: HoldfastError, limits: Limits) => Promise<T | undefined>;
}

/**
 * If a response is lost, the retry may conflict with its own change: 412 at the next revision, or 404 for a key that it
 * deleted. One read then decides, and the result is that of a repeated call without a condition.
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
      // A caller with write-only access gets the first error, which says that the outcome is unknown.
      if (failure instanceof HoldfastError) return undefined;
      throw failure;
    });
    if (found === undefined) throw error;
    return found;
  }
}

/** The effect of a change, and a way to apply exactly that change. */
export class Plan<T> {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  readonly deleted: readonly string[];
  /** Keys that the target already has (promotion without `overwrite`), or keys to delete that do not exist. */
  readonly skipped: readonly string[];
  /** The plan's base revision, which `apply` requires. */
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

  /** Applies the change to the base revision. @throws RevisionMismatch if the environment has changed since */
  apply({ signal }: { signal?: AbortSignal } = {}): Promise<T> {
    return this.#apply(signal);
  }
}

type Change = Pick<Write<unknown>, 'method' | 'template' | 'options'>;

async function dryRun(
  transport: Transport,
  { method, template, options }: Change,
  deadline?: Deadline,
): Promise<DryRun> {
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

/** Checks with a dry run, for values that only the service has. If nothing is left to do, the change was applied. */
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
