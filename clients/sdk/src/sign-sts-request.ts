import { AwsV4Signer } from 'aws4fetch';

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/**
 * The headers of a signed request to STS (AWS Signature Version 4). `pack.ts` puts the library into this file, so that
 * the package needs no dependency; the file imports nothing else.
 */
export async function signStsRequest(
  url: string,
  body: string,
  region: string,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
): Promise<Record<string, string>> {
  const signer = new AwsV4Signer({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
    service: 'sts',
    region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    // AWS requires a signed content type, which the library leaves out otherwise.
    allHeaders: true,
  });
  return Object.fromEntries((await signer.sign()).headers);
}
