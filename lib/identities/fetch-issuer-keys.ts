import { verificationKeys } from '../contracts/fields/verification-keys.ts';
import { settings } from '../core/settings.ts';
import { fetchJson } from '../deliveries/fetch-json.ts';
import { failureReason, SendingFailed } from '../deliveries/sending-failed.ts';
import { type TargetRules, targetProblem } from '../deliveries/target.ts';
import type { ProviderEndpoints } from '../table/records/issuer-keys.ts';
import { type FetchedKeys, fetchTimeoutMs } from './fetched-keys.ts';
import { endpointsOf } from './provider-endpoints.ts';

/**
 * The signing keys that an issuer's discovery document refers to (OpenID Connect Discovery 1.0, section 4). Runs in a
 * function of its own. Never throws: every failure is returned as a problem.
 */
export async function fetchIssuerKeys(issuer: string): Promise<FetchedKeys> {
  const controller = new AbortController();
  const timeOut = new SendingFailed(`timed out after ${fetchTimeoutMs / 1000} s`);
  const timer = setTimeout(() => controller.abort(timeOut), fetchTimeoutMs);
  const sending = { allowLoopback: settings().WEBHOOK_ALLOW_LOOPBACK };
  try {
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const document = membersOf(await fetchJson(address, sending, controller.signal));
    const { issuer: named, jwks_uri } = document;
    if (named !== issuer) throw new SendingFailed('the discovery document is for another issuer');
    if (typeof jwks_uri !== 'string') throw new SendingFailed('the discovery document has no jwks_uri');
    const keys = verificationKeys(await fetchJson(jwks_uri, sending, controller.signal));
    if (keys.length === 0) throw new SendingFailed('no usable key was found');
    return { keys, endpoints: allowedEndpoints(document, sending) };
  } catch (error) {
    return { problem: controller.signal.aborted ? timeOut.message : failureReason(error) };
  } finally {
    clearTimeout(timer);
  }
}

function membersOf(document: unknown): { issuer?: unknown; jwks_uri?: unknown; [name: string]: unknown } {
  return typeof document === 'object' && document !== null ? { ...document } : {};
}

/** Browsers and this function are only sent to addresses that customers may name. */
function allowedEndpoints(document: Record<string, unknown>, rules: TargetRules): ProviderEndpoints | undefined {
  const endpoints = endpointsOf(document);
  const targets = [endpoints?.authorization, endpoints?.token, endpoints?.userinfo].filter(one => one !== undefined);
  return targets.some(target => targetProblem(target, rules) !== undefined) ? undefined : endpoints;
}
