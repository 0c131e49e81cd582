import { findAwsCredentials, findAwsRegion } from './aws-credentials.ts';
import type { IdTokenRequest } from './identity.ts';
import { signStsRequest } from './sign-sts-request.ts';
import { stsIn, stsVersion } from './sts.ts';

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_GetWebIdentityToken.html */
export async function askSts({ audience, variables, fetch: doFetch }: IdTokenRequest): Promise<string> {
  const region = await findAwsRegion(variables);
  const sts = stsIn(region, variables.AWS_ENDPOINT_URL_STS, doFetch);
  const credentials = await findAwsCredentials(variables, sts);
  const element = await sts.call(
    {
      Action: 'GetWebIdentityToken',
      Version: stsVersion,
      'Audience.member.1': audience,
      SigningAlgorithm: 'ES384',
      DurationSeconds: '300',
    },
    body => signStsRequest(sts.url, body, region, credentials),
  );
  return element('WebIdentityToken');
}
