import { settings } from '../core/settings.ts';
import { fetchJson } from '../deliveries/fetch-json.ts';
import { failureReason, SendingFailed } from '../deliveries/sending-failed.ts';
import { fetchTimeoutMs } from './fetched-keys.ts';
import type { Asked } from './provider-answer.ts';

/**
 * Posts a code to a provider's token endpoint (OpenID Connect Core 1.0, section 3.1.3), or reads its userinfo. Runs in
 * the function that also fetches keys, which has no rights. Never throws: every failure is returned as a problem.
 */
export async function askProvider({ target, form, authorization }: Asked): Promise<{ answer: unknown } | Problem> {
  const controller = new AbortController();
  const timeOut = new SendingFailed(`timed out after ${fetchTimeoutMs / 1000} s`);
  const timer = setTimeout(() => controller.abort(timeOut), fetchTimeoutMs);
  const sending = { allowLoopback: settings().WEBHOOK_ALLOW_LOOPBACK };
  try {
    const asked = {
      ...(authorization === undefined ? {} : { headers: { Authorization: authorization } }),
      ...(form === undefined ? {} : { form: new URLSearchParams(form) }),
    };
    return { answer: await fetchJson(target, sending, controller.signal, asked) };
  } catch (error) {
    return { problem: controller.signal.aborted ? timeOut.message : failureReason(error) };
  } finally {
    clearTimeout(timer);
  }
}

interface Problem {
  problem: string;
}
