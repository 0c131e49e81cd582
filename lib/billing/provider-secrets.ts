import { parameter } from '../core/parameter.ts';
import { settings } from '../core/settings.ts';

/** The provider's API key, from the environment or else from SSM; undefined if billing is not configured. */
export async function providerKey(): Promise<string | undefined> {
  const { STRIPE_SECRET_KEY: given, STRIPE_SECRET_KEY_PARAMETER: name } = settings();
  return given ?? (name === undefined ? undefined : parameter(name));
}

/** The provider's webhook signing secret, from the same sources. */
export async function webhookSecret(): Promise<string | undefined> {
  const { STRIPE_WEBHOOK_SECRET: given, STRIPE_WEBHOOK_SECRET_PARAMETER: name } = settings();
  return given ?? (name === undefined ? undefined : parameter(name));
}
