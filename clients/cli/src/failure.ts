import { ConnectionError, GatewayError, HoldfastError, TimeoutError } from '@holdfast/sdk';
import type { Refusal } from '../../../lib/contracts/fields/formats/format.ts';
import { canUseProxy, namesProxy } from './proxy.ts';

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
      hint: 'Leave these keys out with --only, or use --format json, which supports every value.',
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
    ? ' The change may have been applied, in full or not at all. Check with: holdfast revisions'
    : '';
  return new Failure(exitCodeOf(error), code, message + unknown, { requestId, details, hint: hintOf(error) });
}

function exitCodeOf(error: HoldfastError): ExitCode {
  if (['platform_token_unavailable', 'assertion_replayed'].includes(error.code)) return exitCodes.signIn;
  // The service did not answer, so the status isn't its own. Only this one is reliable.
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

/** No answer, or a temporary error. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  return error instanceof HoldfastError && (error.retryable || (error.status ?? 0) > 500);
}

function hintOf({ code, status }: HoldfastError): string | undefined {
  if (code === 'invalid_assertion') {
    return 'Check HOLDFAST_IDENTITY and HOLDFAST_ORG, and that the token is unused and has the identity’s audience.';
  }
  if (code === 'assertion_replayed') {
    return 'In a job of several commands, tokenMinutes must cover the whole job, and the cache directory must be writable.';
  }
  if (code === 'claims_mismatch')
    return 'See the claims the identity requires in the dashboard or with GET /v1/identities.';
  if (status === 413) return 'Send less at once: fewer keys, or shorter values.';
  if (status === 401) return signInHint();
  if (code === 'connection_failed' && namesProxy() && !canUseProxy())
    return `Node ${process.version} does not support HTTPS_PROXY; Node 24.14 and newer do.`;
  if (code === 'connection_failed' || code === 'gateway_error') return 'Is the address right? See: holdfast status';
  if (code === 'organization_not_found') return 'List your organizations: holdfast orgs';
  if (code === 'project_not_found') return 'List the projects: holdfast projects';
  if (code === 'environment_not_found') return 'List the environments: holdfast envs';
  if (code === 'secret_not_found') return 'List the keys: holdfast list';
  if (code === 'revision_mismatch') return 'See the changes: holdfast revisions';
  if (code === 'version_mismatch') return 'List the versions: holdfast history KEY';
  if (code === 'revision_not_found') return 'List the revisions: holdfast revisions';
  if (code === 'insufficient_scope') return 'See the token’s access: holdfast whoami';
  return undefined;
}

/** A token in the environment takes precedence over a stored one, so signing in would not help. */
function signInHint(): string {
  const variable = ['HOLDFAST_TOKEN', 'HOLDFAST_TOKEN_FILE'].find(name => process.env[name]);
  if (variable === undefined) return 'Sign in: holdfast login';
  return `The token in ${variable} is unknown, expired or revoked. Replace it, or unset ${variable} and sign in: holdfast login`;
}
