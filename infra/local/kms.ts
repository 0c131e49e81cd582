import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { AwsError, type AwsServer, callOperation, operation, startAwsServer } from './aws-server.ts';
import { reasonOf } from './data-directory.ts';
import { StartError } from './start-error.ts';

const KeyFile = z.strictObject({
  keys: z.array(z.strictObject({ id: z.uuid(), material: z.base64().length(44), createdAt: z.number() })),
  aliases: z.record(z.string(), z.uuid()),
});
type KeyFile = z.output<typeof KeyFile>;
type MasterKey = KeyFile['keys'][number];

const Base64 = z.base64().transform(text => Buffer.from(text, 'base64'));
const EncryptionContext = z.record(z.string(), z.string()).prefault({});
const DataKeyRequest = z.object({
  KeyId: z.string(),
  KeySpec: z.enum(['AES_256', 'AES_128']).optional(),
  NumberOfBytes: z.int().min(1).max(1024).optional(),
  EncryptionContext,
});

/**
 * A stand-in for AWS KMS: symmetric keys and their aliases, kept in `kms.json` of the directory or in memory. The
 * encryption context is bound as in KMS: a ciphertext decrypts under the context it was made with and no other.
 * @throws StartError where `kms.json` is damaged.
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
        throw new AwsError('IncorrectKeyException', 'The ciphertext was made under another key.');
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

/*
 * A ciphertext: one byte of format, the key's id, a 96-bit nonce, the encrypted bytes, the tag. AES-256-GCM with the
 * context as additional data.
 */
const format = 1;
const idEnd = 1 + 16;
const nonceEnd = idEnd + 12;
const tagBytes = 16;

function seal(key: MasterKey, plain: Buffer, context: Record<string, string>): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key.material, 'base64'), nonce, { authTagLength: tagBytes });
  cipher.setAAD(canonical(context));
  const id = Buffer.from(key.id.replaceAll('-', ''), 'hex');
  return Buffer.concat([Buffer.of(format), id, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function unseal(key: MasterKey, sealed: Buffer, context: Record<string, string>): Buffer {
  const decipher = createDecipheriv(
    'aes-256-gcm',
    Buffer.from(key.material, 'base64'),
    sealed.subarray(idEnd, nonceEnd),
    { authTagLength: tagBytes },
  );
  decipher.setAAD(canonical(context));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceEnd, -tagBytes)), decipher.final()]);
  } catch {
    // KMS says no more: whether the bytes or the context are wrong is not told.
    throw new AwsError('InvalidCiphertextException', '');
  }
}

function sealedUnder(sealed: Buffer): string | undefined {
  if (sealed.length <= nonceEnd + tagBytes || sealed[0] !== format) return undefined;
  return sealed.toString('hex', 1, idEnd).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The same bytes for the same pairs, in whatever order they came. */
function canonical(context: Record<string, string>): Buffer {
  const pairs = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify(pairs));
}

function readKeyFile(file: string | undefined): KeyFile {
  if (file === undefined || !existsSync(file)) return { keys: [], aliases: {} };
  try {
    return KeyFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'it has not the expected form' : reasonOf(error);
    throw new StartError(
      `The key file ${file} is damaged (${reason}); restore it, or delete the data directory: without it the secrets cannot be decrypted.`,
    );
  }
}

/** Replaced as a whole, so that no end of the process leaves half a file. */
function writeKeyFile(file: string | undefined, content: KeyFile): void {
  if (file === undefined) return;
  const next = `${file}.next`;
  const descriptor = openSync(next, 'w', 0o600);
  writeSync(descriptor, JSON.stringify(content));
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(next, file);
}
