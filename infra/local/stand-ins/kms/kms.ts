import { join } from 'node:path';
import { type AwsServer, callOperation, startAwsServer } from '../aws-server.ts';
import { cipherOperations } from './cipher-operations.ts';
import { keyOperations } from './key-operations.ts';
import { openMasterKeys } from './master-keys.ts';

/**
 * A stand-in for AWS KMS: symmetric keys and their aliases, stored in `kms.json` in the directory, or in memory. As in
 * KMS, a ciphertext can only be decrypted with its original encryption context.
 * @throws StartError if `kms.json` is damaged
 */
export async function startKms(directory: string | undefined, region: string): Promise<AwsServer> {
  const masterKeys = openMasterKeys(directory === undefined ? undefined : join(directory, 'kms.json'), region);
  const operations = { ...keyOperations(masterKeys), ...cipherOperations(masterKeys) };
  return startAwsServer(request => callOperation('TrentService', operations, request));
}
