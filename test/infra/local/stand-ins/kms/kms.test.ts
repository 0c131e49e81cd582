import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateAliasCommand,
  CreateKeyCommand,
  DecryptCommand,
  DescribeKeyCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  KMSClient,
  ListAliasesCommand,
} from '@aws-sdk/client-kms';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { AwsServer } from '#infra/local/stand-ins/aws-server.ts';
import { startKms } from '#infra/local/stand-ins/kms/kms.ts';
import { scratchDirectory, shared } from '#test/support/fixtures.ts';

const directory = scratchDirectory();
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const clientOf = ({ url }: AwsServer) => new KMSClient({ endpoint: url, region: 'eu-west-1', credentials });
let KeyId: string;
const server = shared(() => startKms(directory, 'eu-west-1'));
const kms = shared(() => clientOf(server));
beforeAll(async () => {
  KeyId = (await kms.send(new CreateKeyCommand({}))).KeyMetadata?.KeyId ?? '';
});

const dataKey = (EncryptionContext?: Record<string, string>) =>
  kms.send(new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', ...(EncryptionContext && { EncryptionContext }) }));
const encrypt = (EncryptionContext?: Record<string, string>) =>
  kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x'), ...(EncryptionContext && { EncryptionContext }) }));
const decrypt = (CiphertextBlob: Uint8Array | undefined, EncryptionContext?: Record<string, string>) =>
  kms.send(new DecryptCommand({ CiphertextBlob, ...(EncryptionContext && { EncryptionContext }) }));

describe('The KMS stand-in', () => {
  it('decrypts a data key with the encryption context it was created with, in any order', async () => {
    const made = await dataKey({ a: '1', b: '2' });
    expect(made.Plaintext).toHaveLength(32);
    expect(made.KeyId).toBe(`arn:aws:kms:eu-west-1:000000000000:key/${KeyId}`);
    const { Plaintext } = await decrypt(made.CiphertextBlob, { b: '2', a: '1' });
    expect(Plaintext).toEqual(made.Plaintext);
  });

  it.each([
    ['another value', { a: '2' }],
    ['another name', { b: '1' }],
    ['more', { a: '1', b: '2' }],
    ['none', undefined],
  ])('rejects a ciphertext under a context with %s', async (_, EncryptionContext) => {
    const { CiphertextBlob } = await encrypt({ a: '1' });
    const refused = { name: 'InvalidCiphertextException' };
    await expect(decrypt(CiphertextBlob, EncryptionContext)).rejects.toMatchObject(refused);
  });

  it('rejects a changed or truncated ciphertext', async () => {
    const { CiphertextBlob = new Uint8Array() } = await kms.send(
      new GenerateDataKeyWithoutPlaintextCommand({ KeyId, KeySpec: 'AES_256' }),
    );
    for (const position of CiphertextBlob.keys()) {
      const changed = Buffer.from(CiphertextBlob);
      changed[position] = (changed[position] ?? 0) ^ 1;
      await expect(decrypt(changed)).rejects.toMatchObject({ name: 'InvalidCiphertextException' });
    }
    for (const length of [0, 1, 20, CiphertextBlob.length - 1]) {
      await expect(decrypt(CiphertextBlob.slice(0, length))).rejects.toThrow();
    }
  });

  it('rejects a ciphertext from another key than the given one', async () => {
    const other = (await kms.send(new CreateKeyCommand({}))).KeyMetadata?.KeyId;
    const { CiphertextBlob } = await encrypt();
    const decrypted = kms.send(new DecryptCommand({ KeyId: other, CiphertextBlob }));
    await expect(decrypted).rejects.toMatchObject({ name: 'IncorrectKeyException' });
  });

  it('finds a key by its id, its ARN, an alias and the alias ARN', async () => {
    const createAlias = () => kms.send(new CreateAliasCommand({ AliasName: 'alias/main', TargetKeyId: KeyId }));
    await createAlias();
    await expect(createAlias()).rejects.toMatchObject({ name: 'AlreadyExistsException' });
    const { Aliases } = await kms.send(new ListAliasesCommand({}));
    const arn = `arn:aws:kms:eu-west-1:000000000000:key/${KeyId}`;
    for (const name of [KeyId, arn, 'alias/main', Aliases?.[0]?.AliasArn]) {
      const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId: name }));
      expect(KeyMetadata).toMatchObject({ KeyId, KeyState: 'Enabled', KeyUsage: 'ENCRYPT_DECRYPT' });
    }
  });

  it('returns KMS’s errors for unknown or malformed input', async () => {
    const failing = [
      [new DescribeKeyCommand({ KeyId: 'alias/none' }), 'NotFoundException'],
      [new GenerateDataKeyCommand({ KeyId: 'none', KeySpec: 'AES_256' }), 'NotFoundException'],
      [new GenerateDataKeyCommand({ KeyId }), 'ValidationException'],
      [new EncryptCommand({ KeyId, Plaintext: Buffer.alloc(4097) }), 'ValidationException'],
      [new EncryptCommand({ KeyId, Plaintext: Buffer.alloc(0) }), 'ValidationException'],
    ] as const;
    for (const [command, name] of failing) {
      await expect(kms.send(command as DescribeKeyCommand)).rejects.toMatchObject({ name });
    }
  });

  it('keeps its keys after a restart, in a file that only its owner can read', async () => {
    const { CiphertextBlob, Plaintext } = await dataKey();
    expect(statSync(join(directory, 'kms.json')).mode & 0o777).toBe(0o600);
    const restarted = await startKms(directory, 'eu-west-1');
    const answer = await clientOf(restarted).send(new DecryptCommand({ CiphertextBlob }));
    await restarted.stop();
    expect(answer.Plaintext).toEqual(Plaintext);
  });

  it('reports a damaged key file in one sentence', async () => {
    const damaged = scratchDirectory(onTestFinished);
    const whole = readFileSync(join(directory, 'kms.json'), 'utf8');
    for (const text of ['', '{}', whole.slice(0, -10)]) {
      writeFileSync(join(damaged, 'kms.json'), text);
      await expect(startKms(damaged, 'eu-west-1')).rejects.toMatchObject({
        name: 'StartError',
        message: expect.stringMatching(/^The key file .*kms\.json is damaged .*\.$/),
      });
    }
  });
});
