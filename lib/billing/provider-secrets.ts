import { parameter } from '../core/parameter.ts';
import { settings } from '../core/settings.ts';

/** The key of the provider's API: from the environment, else from SSM; undefined if billing is not configured. */
export async function providerKey(): Promise<string | undefined> {
  const { STRIPE_SECRET_KEY: given, STRIPE_SECRET_KEY_PARAMETER: name } = settings();
  return given ?? (name === undefined ? undefined : parameter(name));
}

/** The secret that the provider signs its events with, from the same sources. */
export async function webhookSecret(): Promise<string | undefined> {
  const { STRIPE_WEBHOOK_SECRET: given, STRIPE_WEBHOOK_SECRET_PARAMETER: name } = settings();
  return given ?? (name === undefined ? undefined : parameter(name));
}
