import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  exchangeAssertion,
  HoldfastError,
  type IdentityOptions,
  type IdentityToken,
  identityToken,
  platformAssertion,
} from '@holdfast/sdk';
import { useProxy, userAgent } from '../connect.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { cacheDirectory, readIfThere, writeOwnFile } from '../files.ts';
import { type Sealed, seal, unseal } from '../sealed.ts';

/** A workload identity, which signs in without a person. */
export interface IdentityCredential {
  token: () => Promise<string>;
  /** Its source, for messages. */
  source: string;
  identity: { id: string; organization: string; organizationId: () => Promise<string> };
}

/** The identity in HOLDFAST_IDENTITY, with the platform's token. */
export function findIdentity(url: string, organization: string | undefined): IdentityCredential | undefined {
  const { HOLDFAST_IDENTITY: id } = process.env;
  if (!id) return undefined;
  if (organization === undefined) {
    throw usage('HOLDFAST_IDENTITY needs an organization, but none is set.', 'Name it: HOLDFAST_ORG=…');
  }
  const assertion = platformAssertion(id);
  if (assertion === undefined) {
    throw new Failure(
      exitCodes.signIn,
      'no_assertion',
      'HOLDFAST_IDENTITY is set, but the platform offers no token for it.',
      {
        hint: 'GitHub Actions: permissions: id-token: write. GitLab: id_tokens: HOLDFAST_ID_TOKEN. Else: HOLDFAST_ID_TOKEN_FILE',
      },
    );
  }
  let last: IdentityToken | undefined;
  const exchange = async (options: IdentityOptions, subject: string): Promise<IdentityToken> => {
    last = assertion.isAlwaysNew ? await signIn(options, subject) : await signInOnce(options, subject);
    return last;
  };
  const signedIn = identityToken({ url, organization, identity: id, userAgent }, assertion, exchange);
  const token = async (): Promise<string> => {
    // Commands such as `whoami` sign in before they create a client.
    await useProxy(url);
    return signedIn();
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

async function signIn(options: IdentityOptions, assertion: string): Promise<IdentityToken> {
  try {
    return await exchangeAssertion(options, assertion);
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.status !== 409) throw error;
    throw new Failure(exitCodes.signIn, error.code, error.message, {
      requestId: error.requestId,
      hint: 'The platform gives a job one token, which can be exchanged once. Set the identity’s tokenMinutes to cover the whole job.',
    });
  }
}

const purpose = 'holdfast identity token v1';
/** The SDK replaces a token this long before it expires. */
const replacedBeforeMs = 60_000;

/**
 * GitLab gives a job one token, and the service accepts it only once, but a job may run several commands. So the token
 * from the exchange is cached, sealed with GitLab's token. A later job on the same machine has a different token and
 * can't read it.
 */
async function signInOnce(options: IdentityOptions, assertion: string): Promise<IdentityToken> {
  const { url, organization, identity } = options;
  const place = JSON.stringify([url, organization, identity]);
  const name = createHash('sha256')
    .update(JSON.stringify([place, assertion]))
    .digest('hex');
  const path = join(cacheDirectory(), `identity-${name}.json`);
  const kept = readKept(path, assertion, Buffer.from(place));
  if (kept !== undefined) return kept;
  const issued = await signIn(options, assertion);
  writeOwnFile(path, JSON.stringify(seal(assertion, purpose, Buffer.from(place), JSON.stringify(issued))));
  return issued;
}

function readKept(path: string, assertion: string, context: Buffer): IdentityToken | undefined {
  const bytes = readIfThere(path);
  if (bytes === undefined) return undefined;
  try {
    const issued: IdentityToken = JSON.parse(
      unseal(assertion, purpose, context, JSON.parse(bytes.toString()) as Sealed),
    );
    if (Date.parse(issued.expiresAt) - replacedBeforeMs > Date.now()) return issued;
  } catch {
    // Damaged or forged.
  }
  rmSync(path, { force: true });
  return undefined;
}
