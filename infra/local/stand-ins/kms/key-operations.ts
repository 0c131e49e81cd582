import * as z from 'zod';
import { operation } from '../aws-server.ts';
import type { MasterKey } from './key-file.ts';
import { addAlias, addKey, arnOf, keyArnOf, type MasterKeys, requireKey } from './master-keys.ts';

/** The operations on keys and aliases. */
export function keyOperations(masterKeys: MasterKeys) {
  return {
    CreateKey: operation(z.object({}), () => ({ KeyMetadata: metadataOf(masterKeys, addKey(masterKeys)) })),
    DescribeKey: operation(z.object({ KeyId: z.string() }), ({ KeyId }) => ({
      KeyMetadata: metadataOf(masterKeys, requireKey(masterKeys, KeyId)),
    })),
    ListKeys: operation(z.object({}), () => ({
      Keys: masterKeys.content.keys.map(key => ({ KeyId: key.id, KeyArn: keyArnOf(masterKeys, key) })),
      Truncated: false,
    })),
    CreateAlias: operation(
      z.object({ AliasName: z.string().regex(/^alias\/[\w/-]+$/), TargetKeyId: z.string() }),
      ({ AliasName, TargetKeyId }) => addAlias(masterKeys, AliasName, TargetKeyId),
    ),
    ListAliases: operation(z.object({}), () => ({
      Aliases: Object.entries(masterKeys.content.aliases).map(([name, id]) => ({
        AliasName: name,
        AliasArn: arnOf(masterKeys, name),
        TargetKeyId: id,
      })),
      Truncated: false,
    })),
  };
}

function metadataOf(masterKeys: MasterKeys, key: MasterKey) {
  return {
    AWSAccountId: '000000000000',
    Arn: keyArnOf(masterKeys, key),
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
  };
}
