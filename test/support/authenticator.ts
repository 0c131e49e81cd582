import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { PasskeyCreationOptions, PasskeyRequestOptions } from '#lib/contracts/auth/passkeys.ts';
import { settings } from '#lib/core/settings.ts';

/* A software authenticator (WebAuthn, level 3) and its browser, with real keys. Fields of `as` make it lie. */

interface Lies {
  origin?: string;
  type?: string;
  crossOrigin?: boolean;
  challenge?: string;
  rpId?: string;
  userVerified?: boolean;
  counter?: number;
  userHandle?: string | undefined;
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest();
const present = 0x01;
const verified = 0x04;
const attested = 0x40;

function clientData(type: string, challenge: string, lies: Lies): string {
  const data = {
    type: lies.type ?? type,
    challenge: lies.challenge ?? challenge,
    origin: lies.origin ?? settings().DASHBOARD_ORIGIN,
    crossOrigin: lies.crossOrigin ?? false,
  };
  return Buffer.from(JSON.stringify(data)).toString('base64url');
}

function authenticatorData(rpId: string, flags: number, counter: number, credential: Uint8Array = Buffer.of()): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([sha256(rpId), Buffer.of(flags), count, credential]);
}

/** The public key as a COSE_Key (RFC 9053, section 7.1.1), in CBOR. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' }) as { x?: string; y?: string };
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  return Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), bytes(x), Buffer.from('225820', 'hex'), bytes(y)]);
}

/** An attestation object without an attestation, in CBOR. */
function attestationObject(data: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length);
  const text = (content: string) => Buffer.concat([Buffer.of(0x60 + content.length), Buffer.from(content)]);
  return Buffer.concat([
    Buffer.of(0xa3),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.of(0xa0),
    text('authData'),
    Buffer.of(0x59),
    length,
    data,
  ]);
}

export function createAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  const credentialId = id.toString('base64url');
  const credential = { id: credentialId, rawId: credentialId, type: 'public-key' as const };
  let userHandle: string | undefined;
  let counter = 0;
  return {
    credentialId,
    create(options: PasskeyCreationOptions, lies: Lies = {}) {
      userHandle = options.user.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attestedCredential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const flags = present | attested | (lies.userVerified === false ? 0 : verified);
      const data = authenticatorData(lies.rpId ?? options.rp.id, flags, lies.counter ?? counter, attestedCredential);
      return {
        ...credential,
        response: {
          clientDataJSON: clientData('webauthn.create', options.challenge, lies),
          attestationObject: attestationObject(data).toString('base64url'),
          transports: ['internal'],
        },
        clientExtensionResults: {},
        authenticatorAttachment: 'platform',
      };
    },
    get(options: PasskeyRequestOptions, lies: Lies = {}) {
      counter += 1;
      const clientDataJSON = clientData('webauthn.get', options.challenge, lies);
      const flags = present | (lies.userVerified === false ? 0 : verified);
      const data = authenticatorData(lies.rpId ?? options.rpId, flags, lies.counter ?? counter);
      const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
      const handle = 'userHandle' in lies ? lies.userHandle : userHandle;
      return {
        ...credential,
        response: {
          clientDataJSON,
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          ...(handle === undefined ? {} : { userHandle: handle }),
        },
        clientExtensionResults: {},
        authenticatorAttachment: 'platform',
      };
    },
  };
}

export type Authenticator = ReturnType<typeof createAuthenticator>;
