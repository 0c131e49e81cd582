import { invokeFunction } from '../core/invoke-function.ts';
import type { Log } from '../core/logger.ts';
import { requiredSetting } from '../core/settings.ts';
import { fetchTimeoutMs } from './fetched-keys.ts';

/** What to ask a provider for. It holds secrets, so it is never logged. */
export interface Asked {
  /** The address from the provider's discovery document. */
  target: string;
  /** Posted as a form; without one, the target is only read. */
  form?: Readonly<Record<string, string>>;
  authorization?: string;
}

/** The request, plus a cold start of the function that makes it. */
const askingTimeoutMs = fetchTimeoutMs + 3000;
/** 64 KB of JSON, which the function writes again with its own escapes. */
const maximumAnswerBytes = 400 * 1024;

/**
 * The provider's answer: a JSON object, of which nothing is trusted yet. Asked by the one function that may connect to
 * customers' hosts.
 * @returns undefined if there is none; the log has the reason
 */
export async function providerAnswer(asked: Asked, log: Log): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const result = await invokeFunction({
      functionName: requiredSetting('ISSUER_KEYS_FUNCTION'),
      event: { asked },
      timeoutMs: askingTimeoutMs,
      maximumAnswerBytes,
    });
    const { answer, problem } = (result ?? {}) as { answer?: unknown; problem?: unknown };
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return { ...answer };
    const reason = typeof problem === 'string' ? problem.slice(0, 200) : 'it is not a JSON object';
    log.warn('a sign-in provider gave no answer', { reason });
  } catch (error) {
    log.error('could not ask a sign-in provider', error);
  }
  return undefined;
}
