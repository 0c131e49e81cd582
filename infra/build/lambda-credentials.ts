import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Stands for `@aws-sdk/credential-provider-node` in the bundles. Lambda puts a function's credentials into its
 * environment, first place of the SDK's chain; the rest of the chain (profiles, SSO, STS, instance metadata, with the
 * clients they need) is 130 KB that every cold start would load for nothing. Commands on an operator's machine run
 * from the sources, with the whole chain.
 */
export const defaultProvider = () => fromEnv();
