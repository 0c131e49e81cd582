import { KMSServiceException } from '@aws-sdk/client-kms';
import { replaceLostKey } from '../repair/replace-credential-key.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- replace-credential-key`: after the KMS key is lost and the installation uses another one, makes a new key
 * for the MAC of sessions and tokens, so that people can log in again. Those from before keep working. TABLE_NAME is the
 * deployed table, KMS_KEY_ID the key that the installation uses now. A key that KMS can still unwrap is not replaced.
 */

try {
  const { TABLE_NAME, KMS_KEY_ID } = process.env;
  if (!TABLE_NAME || !KMS_KEY_ID) {
    throw new Error('Usage: TABLE_NAME=<table> KMS_KEY_ID=<KMS key> npm run operate -- replace-credential-key');
  }
  console.log(
    (await replaceLostKey())
      ? 'The credential key was replaced. Logging in works again, and sessions and tokens from before keep working.'
      : 'Nothing was replaced: KMS can unwrap the credential key, or nothing has been issued yet.',
  );
} catch (error) {
  const isKms = error instanceof KMSServiceException;
  console.error(
    isKms
      ? `The credential key was not replaced, because KMS refuses: ${error.name}: ${error.message}`
      : sentenceOf(error),
  );
  process.exitCode = 1;
}
