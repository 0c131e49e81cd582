import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { AwsError, operation } from '../aws-server.ts';
import { seal, sealedUnder, unseal } from './ciphertext.ts';
import { findKeyById, keyArnOf, type MasterKeys, requireKey } from './master-keys.ts';

const Base64 = z.base64().transform(text => Buffer.from(text, 'base64'));
const EncryptionContext = z.record(z.string(), z.string()).prefault({});
const DataKeyRequest = z.object({
  KeyId: z.string(),
  KeySpec: z.enum(['AES_256', 'AES_128']).optional(),
  NumberOfBytes: z.int().min(1).max(1024).optional(),
  EncryptionContext,
});
const EncryptRequest = z.object({
  KeyId: z.string(),
  Plaintext: Base64.refine(plain => plain.length >= 1 && plain.length <= 4096, 'must hold 1 to 4096 bytes'),
  EncryptionContext,
});
const DecryptRequest = z.object({ KeyId: z.string().optional(), CiphertextBlob: Base64, EncryptionContext });

/** The operations that encrypt, decrypt and generate data keys. */
export function cipherOperations(masterKeys: MasterKeys) {
  return {
    GenerateDataKey: operation(DataKeyRequest, input => generateDataKey(masterKeys, input)),
    GenerateDataKeyWithoutPlaintext: operation(DataKeyRequest, input => {
      const { Plaintext: _, ...answer } = generateDataKey(masterKeys, input);
      return answer;
    }),
    Encrypt: operation(EncryptRequest, input => encrypt(masterKeys, input)),
    Decrypt: operation(DecryptRequest, input => decrypt(masterKeys, input)),
  };
}

function generateDataKey(masterKeys: MasterKeys, input: z.output<typeof DataKeyRequest>) {
  if ((input.KeySpec === undefined) === (input.NumberOfBytes === undefined)) {
    throw new AwsError('ValidationException', 'Please specify either number of bytes or key spec.');
  }
  const key = requireKey(masterKeys, input.KeyId);
  const plain = randomBytes(input.NumberOfBytes ?? (input.KeySpec === 'AES_256' ? 32 : 16));
  return {
    KeyId: keyArnOf(masterKeys, key),
    CiphertextBlob: seal(key, plain, input.EncryptionContext).toString('base64'),
    Plaintext: plain.toString('base64'),
  };
}

function encrypt(masterKeys: MasterKeys, input: z.output<typeof EncryptRequest>) {
  const key = requireKey(masterKeys, input.KeyId);
  return {
    KeyId: keyArnOf(masterKeys, key),
    CiphertextBlob: seal(key, input.Plaintext, input.EncryptionContext).toString('base64'),
    EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
  };
}

function decrypt(masterKeys: MasterKeys, input: z.output<typeof DecryptRequest>) {
  const key = findKeyById(masterKeys, sealedUnder(input.CiphertextBlob));
  if (key === undefined) throw new AwsError('InvalidCiphertextException', '');
  if (input.KeyId !== undefined && requireKey(masterKeys, input.KeyId) !== key) {
    throw new AwsError('IncorrectKeyException', 'The ciphertext was made with another key.');
  }
  return {
    KeyId: keyArnOf(masterKeys, key),
    Plaintext: unseal(key, input.CiphertextBlob, input.EncryptionContext).toString('base64'),
    EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
  };
}
