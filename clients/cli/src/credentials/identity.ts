import {
  exchangeAssertion,
  type IdentityOptions,
  type IdentityToken,
  identityToken,
  platformAssertion,
} from '@holdfast/sdk';
import { useNetworkSettings, userAgent } from '../connect.ts';
import { usage } from '../failure.ts';

/** A workload identity, which signs in without a person. */
export interface IdentityCredential {
  /** @param rejected a token that the service rejected */
  token: (rejected?: string) => Promise<string>;
  /** Its source, for messages. */
  source: string;
  identity: { id: string; organization: string; organizationId: () => Promise<string> };
}

/** The identity in HOLDFAST_IDENTITY, with the platform's token. */
export function findIdentity(url: string, organization: string | undefined): IdentityCredential | undefined {
  const id = process.env.HOLDFAST_IDENTITY?.trim();
  if (!id) return undefined;
  if (organization === undefined) {
    throw usage('HOLDFAST_IDENTITY needs an organization, but none is set.', 'Name it: HOLDFAST_ORG=…');
  }
  const assertion = platformAssertion(id);
  let last: IdentityToken | undefined;
  const exchange = async (options: IdentityOptions, subject: string, rejected?: string): Promise<IdentityToken> => {
    if (assertion.isAlwaysNew) last = await exchangeAssertion(options, subject);
    // Loaded on demand, because node:crypto is slow to load.
    else last = await (await import('./exchange-once.ts')).exchangeOnce(exchangeAssertion, options, subject, rejected);
    return last;
  };
  const signedIn = identityToken({ url, organization, identity: id, userAgent }, assertion, exchange);
  const token = async (rejected?: string): Promise<string> => {
    // Commands such as `whoami` sign in before they create a client.
    await useNetworkSettings(url);
    return signedIn(rejected);
  };
  return {
    token,
    source: `HOLDFAST_IDENTITY, with the token of ${assertion.source}`,
    identity: {
      id,
      organization,
      organizationId: async () => {
        await token();
        return (last as IdentityToken).organizationId;
      },
    },
  };
}
