import type { RequestContext } from '../access/request-context.ts';
import { kmsDecrypt, kmsEncrypt } from '../crypto/kms.ts';
import { networkOf } from '../limits/network.ts';
import { keyFetches, keyFetchesOfNetwork } from '../limits/rate-limits.ts';
import { currentKeys, renewedKeys } from '../outbound/issuer-keys.ts';
import type { IssuerKeysRecord, ProviderEndpoints, VerificationKey } from '../table/records/identity.ts';
import type { SignInRecord } from '../table/records/sign-in.ts';
import { SignInRefused } from './log-in-page.ts';

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
const encryptionContext = ({ organizationId, issuer, clientId }: Client) => ({
  organization: organizationId,
  issuer,
  client: clientId,
});

/** One KMS call. */
export function sealClientSecret(clientSecret: string, client: Client): Promise<Uint8Array> {
  return kmsEncrypt(Buffer.from(clientSecret, 'utf8'), encryptionContext(client));
}

/** One KMS call, or none for a public client. */
export async function openClientSecret(signIn: SignInRecord): Promise<string | undefined> {
  const { sealedSecret } = signIn;
  return sealedSecret && Buffer.from(await kmsDecrypt(sealedSecret, encryptionContext(signIn))).toString('utf8');
}
