import type { NewPasskeyCredential, PasskeyAssertion } from '../../../../lib/contracts/auth/passkey-credential.ts';
import type { PasskeyCreationOptions, PasskeyRequestOptions } from '../../../../lib/contracts/auth/passkey-options.ts';
import { Refusal } from '../api.ts';
import { base64url } from '../base64url.ts';

/** A passkey belongs to a host name; a browser makes none for an address of numbers. */
const hostIsNamed = !/^(?:[\d.]+|\[.*\])$/.test(window.location.hostname);
export const passkeysPossible = 'PublicKeyCredential' in window && hostIsNamed;

/*
 * WebAuthn's bytes are base64url in JSON. Its own conversions (`parseCreationOptionsFromJSON`, `toJSON`) are missing in
 * browsers that are supported here.
 */
const bytes = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), character => character.charCodeAt(0));
const text = (buffer: ArrayBuffer) => base64url(new Uint8Array(buffer));

type Descriptors = PasskeyRequestOptions['allowCredentials'];
const described = (list: Descriptors) =>
  list.map(({ id, transports }) => ({
    type: 'public-key' as const,
    id: bytes(id),
    transports: transports as AuthenticatorTransport[],
  }));

/** @throws Refusal if the person or the browser declines */
export async function createPasskey(options: PasskeyCreationOptions): Promise<NewPasskeyCredential> {
  const credential = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: bytes(options.challenge),
        user: { ...options.user, id: bytes(options.user.id) },
        excludeCredentials: described(options.excludeCredentials),
      },
    }),
  );
  const response = credential.response as AuthenticatorAttestationResponse;
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: 'public-key',
    response: {
      clientDataJSON: text(response.clientDataJSON),
      attestationObject: text(response.attestationObject),
      transports: response.getTransports(),
    },
  };
}

/** @throws Refusal if the person or the browser declines */
export async function usePasskey(options: PasskeyRequestOptions): Promise<PasskeyAssertion> {
  const credential = await asked(() =>
    navigator.credentials.get({
      publicKey: {
        ...options,
        challenge: bytes(options.challenge),
        allowCredentials: described(options.allowCredentials),
      },
    }),
  );
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: 'public-key',
    response: {
      clientDataJSON: text(response.clientDataJSON),
      authenticatorData: text(response.authenticatorData),
      signature: text(response.signature),
      ...(response.userHandle === null ? {} : { userHandle: text(response.userHandle) }),
    },
  };
}

async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await ask();
    if (credential instanceof PublicKeyCredential) return credential;
  } catch (error) {
    // An authenticator that has a passkey of this account already.
    if (error instanceof DOMException && error.name === 'InvalidStateError')
      throw new Refusal(0, 'no_passkey', 'There is a passkey of yours on this device already.');
    if (!(error instanceof DOMException)) throw error;
  }
  throw new Refusal(0, 'no_passkey', 'The browser gave no passkey. Try again, or choose another way.');
}
