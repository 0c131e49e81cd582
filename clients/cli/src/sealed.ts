import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Text that can only be read with the secret that sealed it (AES-256-GCM, with a key derived by HKDF). */
export interface Sealed {
  salt: string;
  nonce: string;
  tag: string;
  data: string;
}

function keyOf(secret: string, salt: Buffer, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, salt, purpose, 32));
}

/** @param context is authenticated with the text, so moved or changed text can't be unsealed */
export function seal(secret: string, purpose: string, context: Buffer, text: string): Sealed {
  const salt = randomBytes(32);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, salt, purpose), nonce);
  cipher.setAAD(context);
  const data = Buffer.concat([cipher.update(text), cipher.final()]);
  return {
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
}

/** @throws if the secret, purpose or context differs, or the text was changed */
export function unseal(secret: string, purpose: string, context: Buffer, { salt, nonce, tag, data }: Sealed): string {
  const [saltBytes, nonceBytes, tagBytes] = [salt, nonce, tag].map(text => Buffer.from(text, 'base64')) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  const key = keyOf(secret, saltBytes, purpose);
  const decipher = createDecipheriv('aes-256-gcm', key, nonceBytes, { authTagLength: 16 });
  decipher.setAAD(context);
  decipher.setAuthTag(tagBytes);
  return Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString();
}
