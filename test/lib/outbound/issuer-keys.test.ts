import { expect, it } from 'vitest';
import { toApiError } from '#lib/api/respond.ts';
import { issuerUnavailable } from '#lib/outbound/issuer-keys.ts';

it('never counts an issuer that can’t be reached as an error of the version, which could roll back a deployment', () => {
  const record = {
    issuer: 'https://issuer.test',
    keys: [],
    fetchId: 'one',
    fetchedAtMs: 0,
    triedAtMs: 0,
    endedAtMs: 1,
  };
  for (const stored of [undefined, { ...record, problem: 'it did not answer', expiresAt: 0 }]) {
    expect(toApiError(issuerUnavailable(stored))).toMatchObject({ code: 'issuer_unavailable', isExpected: true });
  }
});
