import { ConnectionError, GatewayError, HoldfastError, TimeoutError } from '@holdfast/sdk';
import type { Refusal } from './formats/format.ts';
import { canUseProxy, namesProxy } from './proxy.ts';

/** 0 is a success. `run` ends as its child does; its own failures are 125 to 127. */
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
  /** `run` could not begin. */
  notRun: 125,
  notExecutable: 126,
  noSuchCommand: 127,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What ends a command: a sentence for people, a code for scripts, and often what to do next. */
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

/** Names every key and every reason at once. */
export function notRepresentable(format: string, refusals: readonly Refusal[]): Failure {
  const named = refusals.map(({ key, reason }) => `${key} ${reason}`);
  const count = refusals.length === 1 ? 'A value' : `${refusals.length} values`;
  return new Failure(
    exitCodes.notRepresentable,
    'not_representable',
    `${count} can’t be written as ${format}; nothing was written.\n  ${named.join('\n  ')}`,
    {
      details: refusals,
      hint: 'Leave these keys out with --only, or take --format json, which holds every value.',
    },
  );
}

/** Any error as a failure. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof HoldfastError)) {
    return new Failure(exitCodes.other, 'failed', error instanceof Error ? error.message : String(error));
  }
  const { code, message, requestId, details } = error;
  const unknown = error.outcomeUnknown
    ? ' Whether the change was made is not known; it is all or nothing. Look with: holdfast revisions'
    : '';
  return new Failure(exitCodeOf(error), code, message + unknown, { requestId, details, hint: hintOf(error) });
}

function exitCodeOf(error: HoldfastError): ExitCode {
  // Somebody else answered: what its status means is not known, but for this one.
  if (error.status === 413) return exitCodes.other;
  if (error instanceof GatewayError) return exitCodes.unreachable;
  switch (error.status) {
    case 401:
      return exitCodes.signIn;
    case 403:
      return exitCodes.forbidden;
    case 404:
      return exitCodes.notFound;
    case 409:
    case 412:
      return exitCodes.conflict;
    default:
      return isOutage(error) ? exitCodes.unreachable : exitCodes.other;
  }
}

/** No answer, or one that says: later. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  return error instanceof HoldfastError && (error.retryable || (error.status ?? 0) > 500);
}

function hintOf({ code, status }: HoldfastError): string | undefined {
  if (code === 'invalid_assertion') {
    return 'Are HOLDFAST_IDENTITY and HOLDFAST_ORG right, and is the token for the audience of the identity, and new?';
  }
  if (code === 'claims_mismatch') return 'What the identity demands is in the dashboard and in GET /v1/identities.';
  if (status === 413) return 'Send less at once: fewer keys, or shorter values.';
  if (status === 401) return signInHint();
  if (code === 'connection_failed' && namesProxy() && !canUseProxy())
    return `Node ${process.version} does not use the proxy that the environment names; from 24.14 on it does.`;
  if (code === 'connection_failed' || code === 'gateway_error') return 'Is the address right? See: holdfast status';
  if (code === 'organization_not_found') return 'Those you can see: holdfast orgs';
  if (code === 'project_not_found') return 'Those you can see: holdfast projects';
  if (code === 'environment_not_found') return 'Those of the project: holdfast envs';
  if (code === 'secret_not_found') return 'Its keys: holdfast list';
  if (code === 'revision_mismatch') return 'What moved: holdfast revisions';
  if (code === 'version_mismatch') return 'Its versions: holdfast history KEY';
  if (code === 'revision_not_found') return 'Its revisions: holdfast revisions';
  if (code === 'insufficient_scope') return 'What your token may do: holdfast whoami';
  return undefined;
}

/** A token of the environment goes before the one that `login` keeps, so that signing in would not help. */
function signInHint(): string {
  const variable = ['HOLDFAST_TOKEN', 'HOLDFAST_TOKEN_FILE'].find(name => process.env[name]);
  if (variable === undefined) return 'Sign in: holdfast login';
  return `The token of ${variable} is unknown, expired or revoked. Replace it, or unset ${variable} and sign in: holdfast login`;
}
