import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { callLimits } from '../core/call-limits.ts';
import { withinCapacity } from '../core/capacity.ts';
import { oncePerProcess } from '../core/process-memory.ts';
import { requiredSetting } from '../core/settings.ts';

/** The middleware around each of the SDK's attempts. Exported for tests, which inject faults below it. */
export const shedRequests = 'shedRequests';

/** The process's KMS client. Only `lib/crypto` uses it; tests import it to count its calls. */
export const kmsClient = /* @__PURE__ */ oncePerProcess('kms-client', () => {
  const client = new KMSClient(callLimits);
  client.middlewareStack.addRelativeTo(shedThrottled, {
    name: shedRequests,
    relation: 'after',
    toMiddleware: 'retryMiddleware',
  });
  return client;
});

function shedThrottled<Args, Answer>(next: (args: Args) => Promise<Answer>): (args: Args) => Promise<Answer> {
  return args => withinCapacity(kmsCapacity, () => next(args));
}

/** All keys of an account share the quotas of its cryptographic operations (KMS Developer Guide, "Request quotas"). */
const kmsCapacity = {
  needs: ['KMS'],
  missingIn: (error: unknown) => (error instanceof Error && error.name === 'ThrottlingException' ? ['KMS'] : undefined),
  isAnswer: () => false,
  mayBeExecuted: () => false,
};

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
