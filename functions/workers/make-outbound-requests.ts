import { makeRequest } from '#lib/outbound/make-request.ts';

/**
 * Reads the keys of an issuer, asks a sign-in provider, or looks up a domain's TXT records, for a function that waits
 * for the answer. It connects to hosts that customers choose, so its role has no right to any table, key or queue.
 */
export const handler = makeRequest;
