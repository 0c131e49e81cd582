import type { RequestContext } from '../access/request-context.ts';
import { networkOf } from '../limits/network.ts';
import { keyFetches, keyFetchesOfNetwork } from '../limits/rate-limits.ts';
import { currentKeys, renewedKeys } from '../outbound/issuer-keys.ts';
import type { VerificationKey } from '../table/records/identity.ts';
import type { IssuerKeysRecord, ProviderEndpoints } from '../table/records/issuer-keys.ts';
import { SignInRefused } from './sign-in-refused.ts';

/** A provider as its discovery document describes it. */
export interface Provider {
  issuer: string;
  endpoints: ProviderEndpoints;
  keys: readonly VerificationKey[];
  /** Its keys after another fetch, which happens at most once a minute. */
  renewKeys(): Promise<readonly VerificationKey[]>;
}

interface Place {
  issuer: string;
  orgSlug: string;
  /** What is stored about the issuer. */
  known: IssuerKeysRecord | undefined;
}

/**
 * The provider with the issuer, read again if what is known is too old.
 * @throws issuer_unavailable, rate_limited; provider_unavailable if people can't sign in there
 */
export async function readProvider(
  { log, source }: RequestContext,
  { issuer, orgSlug, known: stored }: Place,
): Promise<Provider> {
  const counters = [keyFetches(orgSlug), keyFetchesOfNetwork(networkOf(source.ip))];
  const fetching = { log, counters };
  let known: IssuerKeysRecord | undefined = await currentKeys(issuer, stored, fetching);
  // It may have been read before the service knew what to keep, or have been set up only since.
  if (known.endpoints === undefined) known = await renewedKeys(issuer, known, fetching);
  if (known?.endpoints === undefined) throw new SignInRefused('provider_unavailable');
  const { endpoints, keys } = known;
  const renewKeys = async () => (await renewedKeys(issuer, known, fetching))?.keys ?? [];
  return { issuer, endpoints, keys, renewKeys };
}
