import { fetchIssuerKeys } from '../../lib/identities/fetch-issuer-keys.ts';
import type { FetchedKeys } from '../../lib/identities/fetched-keys.ts';

/**
 * Reads the keys of an issuer for `exchange-assertion`, which waits for the answer. It talks to hosts that customers
 * choose, so its role has no right to any table, key or queue.
 */
export function handler({ issuer }: { issuer: string }): Promise<FetchedKeys> {
  return fetchIssuerKeys(issuer);
}
