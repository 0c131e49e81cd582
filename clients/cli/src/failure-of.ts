import { ConnectionError, GatewayError, HoldfastError, TimeoutError } from '@holdfast/sdk';
import { type ExitCode, exitCodes, Failure } from './failure.ts';
import { canUseProxy, namesProxy } from './proxy.ts';

/*
 * Apart from `failure.ts`, because a module that is loaded on demand makes the bundler wrap all that it imports, which
 * would be the SDK.
 */

/** Any error as a failure. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof HoldfastError)) {
    if ((error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd') {
      return new Failure(exitCodes.other, 'no_directory', 'The current directory was deleted or moved.', {
        hint: 'Change to a directory that exists, and run the command again.',
      });
    }
    return new Failure(exitCodes.other, 'failed', error instanceof Error ? error.message : String(error));
  }
  const { code, message, requestId, details } = error;
  const unknown = error.outcomeUnknown
    ? ' The change may have been applied, in full or not at all. Check with: holdfast revisions'
    : '';
  const text = code === 'unauthenticated' && !usesIdentity() ? unknownToken() : message;
  return new Failure(exitCodeOf(error), code, text + unknown, { requestId, details, hint: hintOf(error) });
}

/** The same failure with another hint. */
export function withHint(error: unknown, hint: string | undefined): Failure {
  const { exitCode, code, message, requestId, details } = failureOf(error);
  return new Failure(exitCode, code, message, { requestId, details, hint });
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

function hintOf(error: HoldfastError): string | undefined {
  const { code, status, retryAfterMs } = error;
  if (code === 'invalid_assertion') {
    return 'Check HOLDFAST_IDENTITY and HOLDFAST_ORG, and that the token is unused and has the identity’s audience.';
  }
  if (code === 'assertion_replayed') {
    return 'In a job of several commands, tokenMinutes must cover the whole job, and the cache directory must be writable.';
  }
  if (code === 'claims_mismatch')
    return 'See the claims the identity requires in the dashboard or with GET /v1/identities.';
  if (status === 429 && retryAfterMs !== undefined) {
    const minutes = Math.max(5, Math.ceil((retryAfterMs * 1.25) / 60_000));
    return `Try again in ${Math.ceil(retryAfterMs / 1000)} s. To let run and pull wait longer: --wait ${minutes}m`;
  }
  if (status === 413) return 'Send less at once: fewer keys, or shorter values.';
  if (error instanceof GatewayError) return gatewayHint(status);
  if (status === 401) return signInHint();
  if (code === 'connection_failed' && namesProxy() && !canUseProxy())
    return `Node ${process.version} does not support HTTPS_PROXY; Node 24.14 and newer do.`;
  if (code === 'connection_failed')
    return certificateHint(error.message) ?? 'Is the address right? See: holdfast status';
  if (code === 'plan_limit_exceeded') return 'An administrator of the installation can raise it: see docs/limits.md.';
  if (code === 'organization_not_found') return 'List your organizations: holdfast orgs';
  if (code === 'project_not_found') return 'List the projects: holdfast projects';
  if (code === 'environment_not_found') return 'List the environments: holdfast envs';
  if (code === 'secret_not_found') return 'List the keys: holdfast list';
  if (code === 'revision_mismatch') return 'See the changes: holdfast revisions';
  if (code === 'version_mismatch') return 'List the versions: holdfast history KEY';
  if (code === 'revision_not_found') return 'List the revisions: holdfast revisions';
  if (code === 'proposal_not_found') return 'List the proposals: holdfast proposals --state all';
  if (code === 'proposal_limit_reached') return 'List them: holdfast proposals';
  if (code === 'proposal_closed') return 'See what became of it: holdfast proposals show ID';
  if (code === 'proposal_stale') return 'Its author can propose it anew: holdfast proposals rebase ID';
  if (code === 'rotation_open')
    return 'Go on with it: holdfast rotate --resume KEY · or end it: holdfast rotate --abandon KEY';
  if (code === 'approval_required') return 'See who has approved it: holdfast proposals show ID';
  return accessHint(error);
}

/** The command that ends a refusal for lack of access. */
function accessHint({ code, message }: HoldfastError): string | undefined {
  switch (code) {
    case 'insufficient_scope':
      return scopeHint(message);
    case 'forbidden':
      if (usesIdentity()) return 'An owner or admin can change what the identity may do, in the dashboard.';
      return 'See your role: holdfast whoami · Ask an owner, whom holdfast members shows: roles change in the dashboard.';
    case 'network_not_allowed':
      return 'Use a network that the organization allows, such as your company’s, or ask an owner to add this one.';
    case 'provider_required':
      // With `recheckDays`, the token is accepted again after a sign-in in the dashboard, as the message says.
      return message.includes('accepted again')
        ? undefined
        : newTokenHint('Sign in through your organization’s provider: holdfast login');
    case 'second_factor_required':
      return newTokenHint('Sign in to the dashboard with a second factor, then: holdfast login');
    default:
      return undefined;
  }
}

function scopeHint(message: string): string {
  if (message.includes('session')) return 'Do this in the dashboard.';
  const [, access] = /requires "(write|full)"/.exec(message) ?? [];
  if (usesIdentity()) return 'Identities can’t do this. Sign in yourself.';
  // Without such an access, it was limited to a place.
  return newTokenHint(`Sign in with more access: holdfast login${access === undefined ? '' : ` --access ${access}`}`);
}

const usesIdentity = (): boolean => Boolean(process.env.HOLDFAST_IDENTITY) && tokenVariable() === undefined;

/** A token in a variable takes precedence over the one that `login` stores. */
function newTokenHint(signIn: string): string {
  const variable = tokenVariable();
  return variable === undefined ? signIn : `The token comes from ${variable}. Unset it. ${signIn}`;
}

const tokenVariable = (): string | undefined =>
  ['HOLDFAST_TOKEN', 'HOLDFAST_TOKEN_FILE'].find(name => process.env[name]);

/** A proxy or a log-in page knows nothing of the token. */
function gatewayHint(status: number | undefined): string {
  const answered = 'Is the address right? See: holdfast status';
  if (status !== 401 && status !== 403 && status !== 407) return answered;
  return `Your token is not the cause: a proxy or a log-in page answered. ${answered}`;
}

function certificateHint(message: string): string | undefined {
  const code = /\b(\w*(?:CERT|SIGNATURE)\w*)\)/.exec(message)?.[1];
  if (code === undefined) return undefined;
  if (/EXPIRED|NOT_YET/.test(code)) return 'It is out of date, or the clock of this machine is wrong.';
  if (/ALTNAME/.test(code)) return 'It is for another name. Is the address right? See: holdfast status';
  const { SSL_CERT_FILE: file } = process.env;
  const tried = file ? ` ${file} (SSL_CERT_FILE) has no authority for it, or can’t be read.` : '';
  const orSystem = process.allowedNodeEnvironmentFlags.has('--use-system-ca')
    ? ', or use the system’s: NODE_OPTIONS=--use-system-ca'
    : '';
  return `Does a private authority issue it?${tried} Name its file: NODE_EXTRA_CA_CERTS=ca.pem${orSystem}`;
}

/** The service names a header, which the command line sends by itself. */
function unknownToken(): string {
  const variable = tokenVariable();
  return `The ${variable === undefined ? 'stored token' : `token in ${variable}`} is unknown, expired or revoked.`;
}

/** A token in the environment takes precedence over a stored one, so signing in would not help. */
function signInHint(): string {
  const variable = tokenVariable();
  if (variable === undefined) return 'Sign in: holdfast login';
  return `Replace it, or unset ${variable} and sign in: holdfast login`;
}
