import type { AccountPrincipal } from '../access/principal.ts';
import type { RequestContext } from '../access/request-context.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import type { SignInRecord } from '../table/records/sign-in.ts';
import type { StartedSignInRecord } from '../table/records/started-sign-in.ts';
import type { Write } from '../table/write.ts';
import type { ProvenPerson } from './redeem-code.ts';

export type CallbackContext = RequestContext & { readonly principal: AccountPrincipal | undefined };

/** A sign-in in this browser whose organization and provider are still the same. */
export interface OpenSignIn {
  started: StartedSignInRecord;
  organization: OrganizationRecord;
  signIn: SignInRecord;
  /** Uses it up, in the transaction that its completion makes. */
  useUp: Write;
}

/** What the provider has signed about a person. */
export interface Proof extends ProvenPerson {
  /** Stands for the issuer and the subject. */
  person: string;
  /** Whether the provider asked for a second factor, and the organization trusts it with that. */
  trustedFactor: boolean;
}
