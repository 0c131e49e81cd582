import type {
  NewPasskeyCredential,
  PasskeyAssertion,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '@holdfast/contracts/auth/passkeys.ts';
import { Refusal } from '../api.ts';
import { base64url, fromBase64url } from '../base64url.ts';

/** A passkey belongs to a host name; browsers don't create one for an IP address. */
const hostIsNamed = !/^(?:[\d.]+|\[.*\])$/.test(window.location.hostname);
export const passkeysPossible = 'PublicKeyCredential' in window && hostIsNamed;

/*
 * WebAuthn's bytes are base64url in JSON. Its own conversions (`parseCreationOptionsFromJSON`, `toJSON`) are missing in
 * some supported browsers.
 */
const text = (buffer: ArrayBuffer) => base64url(new Uint8Array(buffer));

type Descriptors = PasskeyRequestOptions['allowCredentials'];
const described = (list: Descriptors) =>
  list.map(({ id, transports }) => ({
    type: 'public-key' as const,
    id: fromBase64url(id),
    transports: transports as AuthenticatorTransport[],
  }));

/** @throws Refusal if the person or the browser declines */
export async function createPasskey(options: PasskeyCreationOptions): Promise<NewPasskeyCredential> {
  const credential = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: fromBase64url(options.challenge),
        user: { ...options.user, id: fromBase64url(options.user.id) },
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
        challenge: fromBase64url(options.challenge),
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
    // The authenticator already has a passkey of this account.
    if (error instanceof DOMException && error.name === 'InvalidStateError')
      throw new Refusal(0, 'no_passkey', 'This device already has a passkey for your account.');
    if (!(error instanceof DOMException)) throw error;
  }
  throw new Refusal(0, 'no_passkey', 'The browser returned no passkey. Try again, or choose another method.');
}
