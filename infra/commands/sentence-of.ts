import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb';

/** What stopped a command, and what to do if AWS's own message doesn't say it: it names neither table nor region. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { AWS_REGION: region = 'the region of your profile', TABLE_NAME: table } = process.env;
  if (error instanceof ResourceNotFoundException && table !== undefined) {
    return (
      `${region} has no table ${table}, or not the other table that you named. Set AWS_REGION to the installation's ` +
      'region, and TABLE_NAME to the output TableName of its stack <name>-foundation.'
    );
  }
  if (error.message === 'Region is missing') return "Set AWS_REGION to the installation's region.";
  if (error.name === 'CredentialsProviderError') {
    return `This shell has no AWS credentials for the installation's account: ${error.message}.`;
  }
  return error.message;
}
