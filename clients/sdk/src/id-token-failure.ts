import { HoldfastError } from './errors.ts';

/** @param message one sentence: what was tried, and what to set */
export function noIdToken(message: string, more: { retryable?: boolean; cause?: unknown } = {}): HoldfastError {
  return new HoldfastError(message, { code: 'platform_token_unavailable', ...more });
}

/** Why a file or a connection failed. An error's own message may quote what was sent. */
export function reasonOf(error: unknown): string {
  const { code, name, cause } = (error ?? {}) as { code?: unknown; name?: unknown; cause?: { code?: unknown } };
  if (name === 'TimeoutError' || name === 'AbortError') return 'no answer in time';
  const known = code ?? cause?.code;
  return typeof known === 'string' ? known : 'no usable answer';
}
