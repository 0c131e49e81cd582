import type { Refusal } from '@holdfast/contracts/fields/formats/format.ts';

/** 0 means success. `run` exits with the status of its child; its own failures are 125 to 127. */
export const exitCodes = {
  other: 1,
  usage: 2,
  signIn: 3,
  forbidden: 4,
  notFound: 5,
  conflict: 6,
  checkFailed: 7,
  unreachable: 8,
  notRepresentable: 9,
  /** `run` could not start its command. */
  notRun: 125,
  notExecutable: 126,
  noSuchCommand: 127,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends a command, with a message for people, a code for scripts, and often a hint. */
export class Failure extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  readonly details: unknown;

  constructor(
    exitCode: ExitCode,
    code: string,
    message: string,
    more: { hint?: string | undefined; requestId?: string | undefined; details?: unknown } = {},
  ) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.hint = more.hint;
    this.requestId = more.requestId;
    this.details = more.details;
  }

  /** The shape of the service's own errors. */
  toJSON(): unknown {
    const { code, message, requestId, details, hint } = this;
    return { error: { code, message, requestId, details, hint } };
  }
}

export function usage(message: string, hint?: string): Failure {
  return new Failure(exitCodes.usage, 'usage', message, { hint });
}

export const cancelled = (): Failure => new Failure(exitCodes.other, 'cancelled', 'Cancelled; nothing was done.');

/**
 * Names every key and every reason at once.
 * @param able the formats that can hold all values
 */
export function notRepresentable(format: string, refusals: readonly Refusal[], able: readonly string[]): Failure {
  const named = refusals.map(({ key, reason }) => `${key} ${reason}`);
  const count = refusals.length === 1 ? 'A value' : `${refusals.length} values`;
  return new Failure(
    exitCodes.notRepresentable,
    'not_representable',
    `${count} can’t be written as ${format}; nothing was written.\n  ${named.join('\n  ')}`,
    {
      details: refusals,
      hint: `Formats that can hold all of them: ${able.join(', ')}. Or leave keys out with --only.`,
    },
  );
}
