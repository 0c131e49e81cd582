import { kmsDecrypt, kmsEncrypt } from '../crypto/kms.ts';
import type { SignInRecord } from '../table/records/sign-in.ts';

type Owner = Pick<SignInRecord, 'organizationId' | 'issuer' | 'clientId'>;

/** KMS binds it to the ciphertext: a secret is never sent to another issuer, or as another client. */
function encryptionContext({ organizationId, issuer, clientId }: Owner): Record<string, string> {
  return { organization: organizationId, issuer, client: clientId };
}

/** One KMS call. */
export async function sealClientSecret(clientSecret: string, owner: Owner): Promise<Uint8Array> {
  return kmsEncrypt(Buffer.from(clientSecret, 'utf8'), encryptionContext(owner));
}

/** One KMS call, or none for a public client. */
export async function openClientSecret(
  signIn: Owner & Pick<SignInRecord, 'sealedSecret'>,
): Promise<string | undefined> {
  const { sealedSecret } = signIn;
  return sealedSecret && Buffer.from(await kmsDecrypt(sealedSecret, encryptionContext(signIn))).toString('utf8');
}
