import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { AwsError, type AwsServer, callOperation, operation, startAwsServer } from '../aws-server.ts';
import { seal, sealedUnder, unseal } from './ciphertext.ts';
import { type MasterKey, readKeyFile, writeKeyFile } from './key-file.ts';

const Base64 = z.base64().transform(text => Buffer.from(text, 'base64'));
const EncryptionContext = z.record(z.string(), z.string()).prefault({});
const DataKeyRequest = z.object({
  KeyId: z.string(),
  KeySpec: z.enum(['AES_256', 'AES_128']).optional(),
  NumberOfBytes: z.int().min(1).max(1024).optional(),
  EncryptionContext,
});

/**
 * A stand-in for AWS KMS: symmetric keys and their aliases, kept in `kms.json` in the directory or in memory. As in KMS,
 * a ciphertext decrypts only with the encryption context it was made with.
 * @throws StartError if `kms.json` is damaged.
 */
export async function startKms(directory: string | undefined, region: string): Promise<AwsServer> {
  const file = directory === undefined ? undefined : join(directory, 'kms.json');
  const store = readKeyFile(file);

  const arnOf = (key: MasterKey) => `arn:aws:kms:${region}:000000000000:key/${key.id}`;

  const keyOf = (name: string): MasterKey => {
    const local = name.startsWith('arn:')
      ? name
          .split(':')
          .slice(5)
          .join(':')
          .replace(/^key\//, '')
      : name;
    const id = local.startsWith('alias/') && Object.hasOwn(store.aliases, local) ? store.aliases[local] : local;
    const key = store.keys.find(candidate => candidate.id === id);
    if (key === undefined) throw new AwsError('NotFoundException', `Key '${name}' does not exist`);
    return key;
  };

  const metadataOf = (key: MasterKey) => ({
    AWSAccountId: '000000000000',
    Arn: arnOf(key),
    CreationDate: key.createdAt / 1000,
    CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
    Enabled: true,
    EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'],
    KeyId: key.id,
    KeyManager: 'CUSTOMER',
    KeySpec: 'SYMMETRIC_DEFAULT',
    KeyState: 'Enabled',
    KeyUsage: 'ENCRYPT_DECRYPT',
    MultiRegion: false,
    Origin: 'AWS_KMS',
  });

  const dataKey = (input: z.output<typeof DataKeyRequest>) => {
    if ((input.KeySpec === undefined) === (input.NumberOfBytes === undefined)) {
      throw new AwsError('ValidationException', 'Please specify either number of bytes or key spec.');
    }
    const key = keyOf(input.KeyId);
    const plain = randomBytes(input.NumberOfBytes ?? (input.KeySpec === 'AES_256' ? 32 : 16));
    return {
      KeyId: arnOf(key),
      CiphertextBlob: seal(key, plain, input.EncryptionContext).toString('base64'),
      Plaintext: plain.toString('base64'),
    };
  };

  const operations = {
    CreateKey: operation(z.object({}), () => {
      const key = { id: randomUUID(), material: randomBytes(32).toString('base64'), createdAt: Date.now() };
      store.keys.push(key);
      writeKeyFile(file, store);
      return { KeyMetadata: metadataOf(key) };
    }),
    DescribeKey: operation(z.object({ KeyId: z.string() }), input => ({ KeyMetadata: metadataOf(keyOf(input.KeyId)) })),
    ListKeys: operation(z.object({}), () => ({
      Keys: store.keys.map(key => ({ KeyId: key.id, KeyArn: arnOf(key) })),
      Truncated: false,
    })),
    CreateAlias: operation(
      z.object({ AliasName: z.string().regex(/^alias\/[\w/-]+$/), TargetKeyId: z.string() }),
      input => {
        if (Object.hasOwn(store.aliases, input.AliasName)) {
          throw new AwsError('AlreadyExistsException', `An alias with the name ${input.AliasName} already exists`);
        }
        store.aliases[input.AliasName] = keyOf(input.TargetKeyId).id;
        writeKeyFile(file, store);
      },
    ),
    ListAliases: operation(z.object({}), () => ({
      Aliases: Object.entries(store.aliases).map(([name, id]) => ({
        AliasName: name,
        AliasArn: `arn:aws:kms:${region}:000000000000:${name}`,
        TargetKeyId: id,
      })),
      Truncated: false,
    })),
    GenerateDataKey: operation(DataKeyRequest, dataKey),
    GenerateDataKeyWithoutPlaintext: operation(DataKeyRequest, input => {
      const { Plaintext: _, ...answer } = dataKey(input);
      return answer;
    }),
    Encrypt: operation(
      z.object({
        KeyId: z.string(),
        Plaintext: Base64.refine(plain => plain.length >= 1 && plain.length <= 4096, 'must hold 1 to 4096 bytes'),
        EncryptionContext,
      }),
      input => {
        const key = keyOf(input.KeyId);
        return {
          KeyId: arnOf(key),
          CiphertextBlob: seal(key, input.Plaintext, input.EncryptionContext).toString('base64'),
          EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
        };
      },
    ),
    Decrypt: operation(z.object({ KeyId: z.string().optional(), CiphertextBlob: Base64, EncryptionContext }), input => {
      const key = store.keys.find(candidate => candidate.id === sealedUnder(input.CiphertextBlob));
      if (key === undefined) throw new AwsError('InvalidCiphertextException', '');
      if (input.KeyId !== undefined && keyOf(input.KeyId) !== key) {
        throw new AwsError('IncorrectKeyException', 'The ciphertext was made with another key.');
      }
      return {
        KeyId: arnOf(key),
        Plaintext: unseal(key, input.CiphertextBlob, input.EncryptionContext).toString('base64'),
        EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
      };
    }),
  };
  return startAwsServer(request => callOperation('TrentService', operations, request));
}
