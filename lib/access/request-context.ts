import type { AuditFacts } from '../audit/write.ts';
import type { Log } from '../core/logger.ts';
import type { RequestSource } from '../core/request-source.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import type { Write } from '../table/write.ts';
import type { MemberAccess } from './member-access.ts';
import type { AccountPrincipal, Principal } from './principal.ts';

export interface RequestContext {
  readonly source: RequestSource;
  readonly log: Log;
}

/** On routes that declare `fresh: 'by-content'`. */
export interface FreshnessQuestion {
  /** @throws step_up_required if it is required and the session is not fresh */
  requireFresh(isNeeded: boolean): void;
}

/** On routes that declare `revokes: 'by-content'`. */
export interface RevocationQuestion {
  /** @throws temporarily_unavailable for anything else during maintenance */
  requireRevocation(isRevocation: boolean): void;
}

export interface CallerContext extends RequestContext, FreshnessQuestion {
  readonly principal: Principal;
  /** The write of an audit entry in one of the user's organizations, for the transaction of the change it records. */
  auditIn(organization: OrganizationRecord, facts: AuditFacts): Promise<Write>;
}

export interface AccountContext extends CallerContext {
  readonly principal: AccountPrincipal;
}

/** A member's request in the organization that the path names. */
export interface MemberContext extends RequestContext, FreshnessQuestion, RevocationQuestion {
  readonly principal: Principal;
  readonly organization: OrganizationRecord;
  readonly access: MemberAccess;
  /** The write of an audit entry, for the transaction of the change it records. */
  audit(facts: AuditFacts): Promise<Write>;
}
