import type { NewPasskeyCredential, PasskeyAssertion } from '../../contracts/auth/passkeys.ts';
import { dashboardOrigin } from '../../core/dashboard-origin.ts';
import type { PasskeyRecord } from '../../table/records/user.ts';
import { passkeyAlgorithms, relyingPartyId, signedChallenge } from './passkey-options.ts';

/** Loaded for the first passkey only: it takes longer than the rest of the function, and most log-ins don't need it. */
const load = async () => {
  const loading = [import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')] as const;
  const [library, helpers] = await Promise.all(loading);
  return { ...library, ...helpers };
};
type Library = Awaited<ReturnType<typeof load>>;

const expected = async (challenge: string) => ({
  expectedChallenge: signedChallenge(challenge),
  expectedOrigin: await dashboardOrigin(),
  expectedRPID: await relyingPartyId(),
  requireUserVerification: true,
});

/**
 * The counter of the passkey's answer if it verifies, which the caller compares: the library rejects every counter that
 * did not increase.
 */
export async function verifyAssertion(
  { id, rawId, type, response }: PasskeyAssertion,
  { credentialId, publicKey }: PasskeyRecord,
  challenge: string,
): Promise<number | undefined> {
  const [library, required] = await Promise.all([load(), expected(challenge)]);
  return refusing(async () => {
    refuseFrames(library, response.clientDataJSON);
    const { userHandle, ...others } = response;
    const withHandle = { ...others, ...(userHandle === undefined ? {} : { userHandle }) };
    const { verified, authenticationInfo } = await library.verifyAuthenticationResponse({
      response: { id, rawId, type, response: withHandle, clientExtensionResults: {} },
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: 0 },
      ...required,
    });
    return verified ? authenticationInfo.newCounter : undefined;
  });
}

export async function verifyNewPasskey({ id, rawId, type, response }: NewPasskeyCredential, challenge: string) {
  const [library, required] = await Promise.all([load(), expected(challenge)]);
  return refusing(async () => {
    refuseFrames(library, response.clientDataJSON);
    const { clientDataJSON, attestationObject } = response;
    const { verified, registrationInfo } = await library.verifyRegistrationResponse({
      response: { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
      supportedAlgorithmIDs: passkeyAlgorithms,
      ...required,
    });
    if (!verified) return undefined;
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    return { credentialId, publicKey, counter };
  });
}

/** The dashboard cannot be framed, so a passkey is never used inside another site's page. */
function refuseFrames({ decodeClientDataJSON }: Library, clientDataJSON: string): void {
  const { crossOrigin, topOrigin } = decodeClientDataJSON(clientDataJSON);
  if (crossOrigin === true || topOrigin !== undefined) throw new Error('The answer was made in a frame.');
}

/** The library throws for an invalid answer, with messages that quote it, so they are dropped. */
async function refusing<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}
