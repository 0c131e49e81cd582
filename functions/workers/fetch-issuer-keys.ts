import { askProvider } from '#lib/identities/ask-provider.ts';
import { fetchIssuerKeys } from '#lib/identities/fetch-issuer-keys.ts';
import type { Asked } from '#lib/identities/provider-answer.ts';
import { txtRecords } from '#lib/identities/txt-records.ts';

type Wanted = { issuer: string } | { asked: Asked } | { domain: string };

/**
 * Reads the keys of an issuer, asks a sign-in provider, or looks up a domain's TXT records, for a function that waits for
 * the answer. It talks to hosts that customers choose, so its role has no right to any table, key or queue.
 */
export function handler(wanted: Wanted): Promise<object> {
  if ('asked' in wanted) return askProvider(wanted.asked);
  if ('domain' in wanted) return txtRecords(wanted.domain);
  return fetchIssuerKeys(wanted.issuer);
}
