import { noIdToken } from './id-token-failure.ts';
import type { IdTokenRequest } from './identity.ts';
import { askPlatform } from './platform-request.ts';

const flavor = 'Google';
const path = '/computeMetadata/v1/instance/service-accounts/default/identity';

/**
 * An ID token of the attached service account. The server may return the same token again for up to an hour.
 * https://cloud.google.com/compute/docs/instances/verifying-instance-identity
 */
export async function askGoogle({ audience, variables }: IdTokenRequest): Promise<string> {
  const host = variables.GCE_METADATA_HOST || 'metadata.google.internal';
  const failed = (reason: string, cause?: unknown) =>
    noIdToken(
      `Google’s metadata server at ${host} returned no token (${reason}): run this on Google Cloud with a service account, or set another HOLDFAST_ID_TOKEN_SOURCE.`,
      { cause },
    );
  // As in Google's own libraries, the variable may hold an address too.
  const base = /^https?:\/\//.test(host) ? host : `http://${host}`;
  if (!URL.canParse(base)) throw failed('GCE_METADATA_HOST is not a host');
  const url = new URL(`${path}?${new URLSearchParams({ audience, format: 'full' })}`, base);
  const answer = await askPlatform(url, { 'metadata-flavor': flavor }).catch((error: Error) => {
    throw failed(error.message, error);
  });
  // Another server at this address, such as a captive portal, does not set it.
  if (answer.headers['metadata-flavor'] !== flavor) throw failed('another server answered');
  if (answer.status !== 200) throw failed(`it answered ${answer.status}`);
  return answer.text;
}
