import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Received } from './receiver.ts';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

export interface VerifiedRequest {
  accessKeyId: string;
  region: string;
  service: string;
  sessionToken: string | undefined;
  signedHeaders: string[];
}

/** Checks a Signature Version 4, from AWS's documentation. @throws Error that names what is wrong */
export function verifySignature(
  { method, path, headers, body }: Received,
  secretOf: (accessKeyId: string) => { secretAccessKey: string; sessionToken?: string | undefined } | undefined,
): VerifiedRequest {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const parts = pattern.exec(headers.authorization ?? '');
  if (parts === null) throw new Error('IncompleteSignature');
  const [, accessKeyId = '', day = '', region = '', service = '', signed = '', signature = ''] = parts;
  const secret = secretOf(accessKeyId);
  if (secret === undefined) throw new Error('InvalidClientTokenId');
  const sessionToken = headers['x-amz-security-token'] as string | undefined;
  if (sessionToken !== secret.sessionToken) throw new Error('InvalidClientTokenId: session token');
  const date = String(headers['x-amz-date']);
  const age = Date.now() - Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!date.startsWith(day) || !(Math.abs(age) < 300_000)) throw new Error('RequestExpired');
  const signedHeaders = signed.split(';');
  const required = ['host', ...Object.keys(headers).filter(name => /^content-type$|^x-amz-/.test(name))];
  if (required.some(name => !signedHeaders.includes(name))) throw new Error('SignatureDoesNotMatch: unsigned header');
  const [pathname = '', query = ''] = path.split('?');
  const canonical = [
    method,
    pathname,
    query.split('&').toSorted().join('&'),
    ...signedHeaders.map(name => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    signed,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const steps = [day, region, service, 'aws4_request'];
  const key = steps.reduce<string | Buffer>((above, text) => hmac(above, text), `AWS4${secret.secretAccessKey}`);
  if (!timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex'))) throw new Error('SignatureDoesNotMatch');
  return { accessKeyId, region, service, sessionToken, signedHeaders };
}
