import type { MemberContext } from '../access/request-context.ts';
import { requireVerifiedMember } from '../access/verified-email.ts';
import type { AuditFacts } from '../audit/write.ts';
import type { SignIn } from '../contracts/organizations/sign-in-settings.ts';
import { at, find } from '../table/read.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { type SignInRecord, signInRecord } from '../table/records/sign-in.ts';
import { redirectUri } from './browser.ts';

/** The organization's sign-in provider, for an owner. @throws email_not_verified */
export async function readSignIn(context: MemberContext): Promise<SignInRecord | undefined> {
  requireVerifiedMember(context);
  return findSignIn(context.organization);
}

export async function findSignIn({ slug, id }: { slug: string; id: string }): Promise<SignInRecord | undefined> {
  return ownSignIn(await find(at(signInRecord, slug)), id);
}

export function providerReads(orgSlug: string) {
  return { organization: at(organizationRecord, orgSlug), signIn: at(signInRecord, orgSlug) };
}

/** The slug may have belonged to another organization. */
export function ownSignIn(signIn: SignInRecord | undefined, organizationId: string): SignInRecord | undefined {
  return signIn?.organizationId === organizationId ? signIn : undefined;
}

/** The TXT record that proves who controls a domain. */
export function txtRecordOf({ token }: Pick<SignInRecord['domains'][number], 'token'>): string {
  return `holdfast-verification=${token}`;
}

/** A sign-in provider as the API shows it, without its secret. */
export async function signInView(signIn: SignInRecord, orgSlug: string): Promise<SignIn> {
  const { issuer, clientId, sealedSecret, domains, defaultRole, required, trustFactor, updatedAt } = signIn;
  const { trustEmail = false, acceptRoundTrip = false } = signIn;
  return {
    issuer,
    clientId,
    hasClientSecret: sealedSecret !== undefined,
    redirectUri: await redirectUri(orgSlug),
    domains: domains.map(own => ({
      domain: own.domain,
      verified: own.verifiedAt !== null,
      txtRecord: txtRecordOf(own),
    })),
    defaultRole,
    required,
    trustFactor,
    trustEmail,
    acceptRoundTrip,
    updatedAt,
  };
}

export function signInTarget({ organizationId, issuer }: SignInRecord): AuditFacts['target'] {
  return { type: 'sign_in', id: organizationId, name: issuer };
}
