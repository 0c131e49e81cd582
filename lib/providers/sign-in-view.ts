import type { AuditFacts } from '../audit/write.ts';
import type { SignIn } from '../contracts/organizations/sign-in.ts';
import type { SignInRecord } from '../table/records/sign-in.ts';
import { redirectUri } from './redirect-uri.ts';

/** The TXT record that proves who controls a domain. Pure. */
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
    domains: domains.map(one => ({
      domain: one.domain,
      verified: one.verifiedAt !== null,
      txtRecord: txtRecordOf(one),
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
