import { type ExitCode, exitCodes, Failure, usage } from '../failure.ts';
import { isLoopback } from '../settings/address.ts';

/* What a target says is never printed, because it may repeat what it was sent. Only its status and code are. */

/** Beyond which the rest of a sync is not tried. */
const codes = {
  /** The target does not answer, or not to these credentials. */
  stopped: 'target_unavailable',
  /** Somebody else has changed the place since it was read. */
  moved: 'target_moved',
  /** The target answered with an error. */
  refused: 'target_refused',
  /** Another source owns the place or the names. */
  taken: 'target_taken',
} as const;

export const hasStopped = (error: unknown): boolean => error instanceof Failure && error.code === codes.stopped;
export const hasMoved = (error: unknown): boolean => error instanceof Failure && error.code === codes.moved;

export const unavailable = (message: string, hint?: string): Failure =>
  new Failure(exitCodes.unreachable, codes.stopped, message, { hint });

export const moved = (message: string): Failure =>
  new Failure(exitCodes.conflict, codes.moved, message, { hint: 'Run the command again to see what changed.' });

export const taken = (message: string, hint?: string): Failure =>
  new Failure(exitCodes.conflict, codes.taken, message, { hint });

export const refused = (message: string, hint?: string, exitCode: ExitCode = exitCodes.other): Failure =>
  new Failure(exitCode, codes.refused, message, { hint });

/** @throws Failure for an address to which values and tokens would go unencrypted */
export function requireSecure({ protocol, hostname }: { protocol: string; hostname: string }): void {
  const isAllowed = isLoopback(hostname) || process.env.HOLDFAST_INSECURE_HTTP === '1';
  if (protocol === 'https:' || (protocol === 'http:' && isAllowed)) return;
  throw usage(
    'The address of a target must be https, or http on this machine.',
    'In a network that you trust, set HOLDFAST_INSECURE_HTTP=1.',
  );
}

const exitCodeOf: Readonly<Record<number, ExitCode>> = {
  401: exitCodes.signIn,
  403: exitCodes.forbidden,
  404: exitCodes.notFound,
  409: exitCodes.conflict,
};

/**
 * An error of the target.
 * @param code the target's own name for it; left out unless it looks like one
 * @param hints by status
 */
export function answered(
  target: string,
  status: number,
  code: unknown,
  hints: Readonly<Record<number, string>> = {},
): Failure {
  const name = typeof code === 'number' || (typeof code === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(code));
  const message = `${target} responded ${status}${name ? ` (${code})` : ''}.`;
  if (status === 401) return new Failure(exitCodes.signIn, codes.stopped, message, { hint: hints[401] });
  return refused(message, hints[status], exitCodeOf[status]);
}
