import { resetProcessMemory } from '#lib/core/process-memory.ts';

/** Settings from the caller. An empty value counts as unset. */
export type GivenSettings = Readonly<Record<string, string | undefined>>;

/** Merges the given settings over the local defaults. `origin` is that of the local gateway. */
export function settingsOver(given: GivenSettings, origin: string): Record<string, string> {
  const set = Object.entries(given).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const usesOwnProfile = Boolean(given.AWS_PROFILE) && set.some(([name]) => name.startsWith('AWS_ENDPOINT_URL'));
  return {
    AWS_REGION: given.AWS_DEFAULT_REGION || 'us-east-1',
    ...(usesOwnProfile ? {} : { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }),
    TABLE_NAME: 'holdfast',
    MAIL_FROM: 'no-reply@holdfast.example',
    DASHBOARD_ORIGIN: origin,
    PUBLIC_BASE_URL: origin,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // All callers on this machine share one address, and scripts make many requests.
    REGISTER_LIMIT_PER_HOUR: '-1',
    ORGANIZATIONS_PER_USER: '-1',
    INVITATION_LIMIT_PER_DAY: '-1',
    REQUESTS_PER_MINUTE: '-1',
    VERIFIED_EMAIL_REQUIRED: 'false',
    ADMIN_FACTOR_REQUIRED: 'false',
    STRIPE_WEBHOOK_SECRET: 'whsec_local',
    STRIPE_PRICE_PRO: 'price_local_pro',
    STRIPE_PRICE_ENTERPRISE: 'price_local_enterprise',
    ...Object.fromEntries(set),
  };
}

/** Whether the caller provides their own implementation of a service (`KMS`, …). */
export function endpointGiven(given: GivenSettings, service: string): boolean {
  return Boolean(given[`AWS_ENDPOINT_URL_${service}`] || given.AWS_ENDPOINT_URL);
}

/** Applies the settings to this process's environment. The returned function restores the previous environment. */
export function applyEnvironment(given: GivenSettings, env: Record<string, string>): () => void {
  const before = { ...process.env };
  Object.assign(process.env, env);
  // An AWS profile on the machine would override the local credentials.
  if (env.AWS_ACCESS_KEY_ID === 'local' || given.AWS_PROFILE === undefined) delete process.env.AWS_PROFILE;
  return () => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
    resetProcessMemory('settings');
  };
}
