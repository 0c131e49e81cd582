import { createHmac, randomBytes } from 'node:crypto';
import { kmsDecrypt, kmsEncrypt } from '../crypto/kms.ts';
import type { WebhookRecord } from '../table/records/webhook.ts';

/** A new signing secret: 256 random bits behind a prefix that scanners recognize. */
export function createSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`;
}

type Owner = Pick<WebhookRecord, 'organizationId' | 'id'>;

/** KMS binds it to the ciphertext, so a secret can't be copied to another webhook. */
function encryptionContext({ organizationId, id }: Owner): Record<string, string> {
  return { organization: organizationId, webhook: id };
}

/** One KMS call. */
export async function sealSigningSecret(signingSecret: string, owner: Owner): Promise<Uint8Array> {
  return kmsEncrypt(Buffer.from(signingSecret, 'utf8'), encryptionContext(owner));
}

/** One KMS call. */
export async function openSigningSecret(webhook: Owner & Pick<WebhookRecord, 'sealedSecret'>): Promise<string> {
  return Buffer.from(await kmsDecrypt(webhook.sealedSecret, encryptionContext(webhook))).toString('utf8');
}

/** The X-Service-Signature of a body: HMAC-SHA256 over its bytes, keyed with the whole signing secret. Pure. */
export function signatureOf(body: Uint8Array, signingSecret: string): string {
  return `sha256=${createHmac('sha256', signingSecret).update(body).digest('hex')}`;
}
