import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { callLimits } from '../core/call-limits.ts';
import { oncePerProcess } from '../core/process-memory.ts';
import { requiredSetting } from '../core/settings.ts';

/** The process's KMS client. Only `lib/crypto` uses it; tests import it to count its calls. */
export const kmsClient = /* @__PURE__ */ oncePerProcess('kms-client', () => new KMSClient(callLimits));

/** KMS binds it to the wrapped key: unwrapping with a different context fails. Not secret; AWS logs it. */
export type EncryptionContext = Record<string, string>;

const keyId = () => requiredSetting('KMS_KEY_ID');

export async function generateDataKey(context: EncryptionContext): Promise<{ plain: Uint8Array; wrapped: Uint8Array }> {
  const { Plaintext, CiphertextBlob } = await kmsClient().send(
    new GenerateDataKeyCommand({ KeyId: keyId(), KeySpec: 'AES_256', EncryptionContext: context }),
  );
  if (Plaintext === undefined || CiphertextBlob === undefined) throw new Error('KMS returned no data key.');
  return { plain: Plaintext, wrapped: CiphertextBlob };
}

/** Encrypts up to 4 KB directly with the KMS key. One KMS call. */
export async function kmsEncrypt(plain: Uint8Array, context: EncryptionContext): Promise<Uint8Array> {
  const { CiphertextBlob } = await kmsClient().send(
    new EncryptCommand({ KeyId: keyId(), Plaintext: plain, EncryptionContext: context }),
  );
  if (CiphertextBlob === undefined) throw new Error('KMS returned no ciphertext.');
  return CiphertextBlob;
}

/** Names the key id, so that KMS rejects ciphertexts made with any other key. One KMS call. */
export async function kmsDecrypt(wrapped: Uint8Array, context: EncryptionContext): Promise<Uint8Array> {
  const { Plaintext } = await kmsClient().send(
    new DecryptCommand({ KeyId: keyId(), CiphertextBlob: wrapped, EncryptionContext: context }),
  );
  if (Plaintext === undefined) throw new Error('KMS returned no plaintext.');
  return Plaintext;
}
