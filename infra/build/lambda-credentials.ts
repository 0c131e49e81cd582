/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles. Lambda passes a function's credentials in environment
 * variables, which the SDK's chain checks first. The rest of the chain (profiles, single sign-on, STS, instance
 * metadata, and their clients) is 130 KB that every cold start would load in vain. Commands on an operator's machine
 * run from source, with the full chain.
 * @throws Error if the environment has no credentials
 */
export const defaultProvider = () => async () => {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = process.env;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Error('The environment has no AWS credentials.');
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
};
