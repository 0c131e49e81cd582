import type { MemberContext, RequestContext } from '../access/request-context.ts';
import { requireVerifiedMember } from '../access/verified-email.ts';
import type { AuditFacts } from '../audit/write.ts';
import type { SignIn } from '../contracts/organizations/sign-in-settings.ts';
import { kmsDecrypt, kmsEncrypt } from '../crypto/kms.ts';
import { networkOf } from '../limits/network.ts';
import { keyFetches, keyFetchesOfNetwork } from '../limits/rate-limits.ts';
import { currentKeys, renewedKeys } from '../outbound/issuer-keys.ts';
import { at, find } from '../table/read.ts';
import type { IssuerKeysRecord, ProviderEndpoints, VerificationKey } from '../table/records/identity.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { type SignInRecord, signInRecord } from '../table/records/sign-in.ts';
import { redirectUri } from './browser.ts';
import { SignInRefused } from './log-in-page.ts';

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

export async function signInView(signIn: SignInRecord, orgSlug: string): Promise<SignIn> {
  const { issuer, clientId, sealedSecret, domains, defaultRole, required, trustFactor, updatedAt } = signIn;
  const { trustEmail = false, acceptRoundTrip = false, roleRules = [], recheckDays = null } = signIn;
  return {
    issuer,
    clientId,
    hasClientSecret: sealedSecret !== undefined,
    redirectUri: await redirectUri(orgSlug),
    domains: domains.map(own => {
      return { domain: own.domain, verified: own.verifiedAt !== null, txtRecord: txtRecordOf(own) };
    }),
    defaultRole,
    required,
    trustFactor,
    trustEmail,
    acceptRoundTrip,
    roleRules,
    recheckDays,
    updatedAt,
  };
}

export function signInTarget({ organizationId, issuer }: SignInRecord): AuditFacts['target'] {
  return { type: 'sign_in', id: organizationId, name: issuer };
}

/** A provider as its discovery document describes it. */
export interface Provider {
  issuer: string;
  endpoints: ProviderEndpoints;
  keys: readonly VerificationKey[];
  /** Its keys after another fetch, which happens at most once a minute. */
  renewKeys(): Promise<readonly VerificationKey[]>;
}

/**
 * The provider with the issuer, read again if what is stored about the issuer is too old.
 * @throws issuer_unavailable, rate_limited; provider_unavailable if people can't sign in there
 */
export async function readProvider(
  { log, source }: RequestContext,
  { issuer, orgSlug, stored }: { issuer: string; orgSlug: string; stored: IssuerKeysRecord | undefined },
): Promise<Provider> {
  const fetching = { log, counters: [keyFetches(orgSlug), keyFetchesOfNetwork(networkOf(source.ip))] };
  let current: IssuerKeysRecord | undefined = await currentKeys(issuer, stored, fetching);
  // The addresses may be missing because an earlier release stored the keys, or the issuer has added them since.
  if (current.endpoints === undefined) current = await renewedKeys(issuer, current, fetching);
  if (current?.endpoints === undefined) throw new SignInRefused('provider_unavailable');
  const { endpoints, keys } = current;
  const renewKeys = async () => (await renewedKeys(issuer, current, fetching))?.keys ?? [];
  return { issuer, endpoints, keys, renewKeys };
}

type Client = Pick<SignInRecord, 'organizationId' | 'issuer' | 'clientId'>;

/** KMS binds it to the ciphertext: a secret is never sent to another issuer, or as another client. */
function encryptionContext({ organizationId: organization, issuer, clientId: client }: Client) {
  return { organization, issuer, client };
}

export function sealClientSecret(clientSecret: string, client: Client): Promise<Uint8Array> {
  return kmsEncrypt(Buffer.from(clientSecret, 'utf8'), encryptionContext(client));
}

/** One KMS call, or none for a public client. */
export async function openClientSecret(signIn: SignInRecord): Promise<string | undefined> {
  const { sealedSecret } = signIn;
  return sealedSecret && Buffer.from(await kmsDecrypt(sealedSecret, encryptionContext(signIn))).toString('utf8');
}
