import { authenticate, type Caller, type IssuedCredential } from '../access/authenticate.ts';
import { type Admitted, authorize } from '../access/authorize.ts';
import type { Access } from '../contracts/contract.ts';
import { ApiError, organizationNotFound } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { flushShares, takeShare } from '../limits/fair-share.ts';
import { requireServingRegion } from '../table/client.ts';
import type { WaitKind } from '../table/retry.ts';
import { authorizeBeforeReading } from './early-reads.ts';

/** A request whose credential was issued by this installation, or that needs none. */
export interface CheckedRequest {
  issued: IssuedCredential | undefined;
  /** The path's parameters that have the right form. */
  params: Readonly<Record<string, string>>;
  log: Log;
}

export interface Authorization<Kind extends Access['kind']> {
  /**
   * Authenticates and authorizes the caller, and counts the request towards the organization's share.
   * @throws unauthenticated, csrf_header_required, organization_not_found, insufficient_scope, forbidden, admin_required,
   * provider_required, second_factor_required, step_up_required; rate_limited
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
  { issued, params, log }: CheckedRequest,
): Authorization<Kind> {
  let authorized: Caller | undefined;
  const authorizeNow = async () => {
    try {
      const caller = await authenticate(issued, access, params);
      return { caller, admitted: authorize(kind, access, caller) };
    } catch (error) {
      // The region that serves may know a credential or a right that this one hasn't received.
      await requireServingRegion();
      // A caller who only has to step up may still read early in later requests.
      const isStranger = error instanceof ApiError && error.code !== 'step_up_required';
      if (issued !== undefined && isStranger) authorizeBeforeReading(issued, params);
      throw error;
    }
  };
  return {
    authorize: async () => {
      const [{ caller, admitted }] = await Promise.all([authorizeNow(), inServingRegion(() => flushShares(log))]);
      if (caller?.access !== undefined) takeShare(caller.access.organization);
      authorized = caller;
      return admitted;
    },
    reauthorize: async ({ isSameWait }) => {
      // Early reads may be delayed before the first authorization, which then comes after the delay anyway.
      if (authorized === undefined) return;
      const [{ caller: now }] = await Promise.all([authorizeNow(), inServingRegion(() => flushShares(log))]);
      if (now?.access === undefined) return;
      if (now.access.member.id !== authorized.access?.member.id) throw organizationNotFound();
      authorized.access.renew(now.access);
      if (!isSameWait) takeShare(now.access.organization);
    },
  };
}

/**
 * A region that isn't serving reads nothing for the caller either: the credential may have been revoked in the other
 * region.
 */
async function inServingRegion(work: () => Promise<void>): Promise<void> {
  await requireServingRegion();
  await work();
}
