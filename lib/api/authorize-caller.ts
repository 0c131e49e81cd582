import { requireNetworkOf } from '../access/allowed-networks.ts';
import { authenticate, type Caller, type IssuedCredential } from '../access/authenticate.ts';
import { type Admitted, authorize } from '../access/authorize.ts';
import type { Access } from '../contracts/contract.ts';
import { ApiError, organizationNotFound } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { flushShares, takeShare } from '../limits/fair-share.ts';
import { recentPlanConfigs, requestShareOf } from '../plans/effective-limits.ts';
import { requireServingRegion } from '../table/client.ts';
import type { WaitKind } from '../table/retry.ts';
import { authorizeBeforeReading } from './early-reads.ts';

interface CheckedRequest {
  /** Undefined if the request needs no credential. */
  issued: IssuedCredential | undefined;
  /** The well-formed parameters of the path. */
  params: Readonly<Record<string, string>>;
  log: Log;
  /** The caller's address. */
  ip: string;
}

interface Authorization<Kind extends Access['kind']> {
  /**
   * Authenticates and authorizes the caller, and counts the request towards the organization's share.
   * @throws unauthenticated, csrf_header_required, organization_not_found, insufficient_scope, forbidden, admin_required,
   * provider_required, network_not_allowed, second_factor_required, step_up_required; rate_limited
   */
  authorize(): Promise<Admitted[Kind]>;
  /**
   * The same after each retry delay: a caller who has lost a right in the meantime must not use it. Each retry counts
   * towards the organization's share, which limits how many of its requests can be waiting.
   */
  reauthorize(kind: WaitKind): Promise<void>;
}

export function authorization<Kind extends Access['kind']>(
  kind: Kind,
  access: Access,
  { issued, params, log, ip }: CheckedRequest,
): Authorization<Kind> {
  let authorized: Caller | undefined;
  // What a plan allows is read at most once a minute, also in parallel with the first round trip.
  const readConfigs = async () => (access.kind === 'member' ? recentPlanConfigs() : {});
  const authorizeNow = async () => {
    try {
      const caller = await authenticate(issued, access, params);
      requireNetworkOf(caller, access, ip);
      return { caller, admitted: authorize(kind, access, caller) };
    } catch (error) {
      // This region may not have received the credential or the right yet.
      await requireServingRegion();
      // Callers who only have to step up or to try again may still read early in later requests.
      const isStranger =
        error instanceof ApiError && !['step_up_required', 'temporarily_unavailable'].includes(error.code);
      if (issued !== undefined && isStranger) authorizeBeforeReading(issued, params);
      throw error;
    }
  };
  return {
    authorize: async () => {
      const reads = [authorizeNow(), flushSharesInServingRegion(log), readConfigs()] as const;
      const [{ caller, admitted }, , configs] = await Promise.all(reads);
      if (caller?.access !== undefined) takeShare(requestShareOf(caller.access.organization, configs));
      authorized = caller;
      return admitted;
    },
    reauthorize: async ({ isSameWait }) => {
      // A delay before the first authorization needs no second one.
      if (authorized === undefined) return;
      const reads = [authorizeNow(), flushSharesInServingRegion(log), readConfigs()] as const;
      const [{ caller }, , configs] = await Promise.all(reads);
      if (caller?.access === undefined) return;
      if (caller.access.member.id !== authorized.access?.member.id) throw organizationNotFound();
      authorized.access.renew(caller.access);
      if (!isSameWait) takeShare(requestShareOf(caller.access.organization, configs));
    },
  };
}

/** Throws in a region that isn't serving: the other one may have revoked the credential. */
async function flushSharesInServingRegion(log: Log): Promise<void> {
  await requireServingRegion();
  await flushShares(log);
}
