import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { settings } from '../core/settings.ts';

let client: SSMClient | undefined;

function parameterClient(): SSMClient {
  client ??= new SSMClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
  return client;
}

/** How long a function keeps a secret: warm functions rarely wait for SSM, and a rotated secret is soon in use. */
const cacheMs = 5 * 60_000;
const cached = new Map<string, { secret: Promise<string | undefined>; readAt: number }>();

async function parameter(name: string): Promise<string | undefined> {
  const known = cached.get(name);
  if (known !== undefined && Date.now() - known.readAt < cacheMs) return known.secret;
  const secret = readParameter(name);
  cached.set(name, { secret, readAt: Date.now() });
  secret.catch(() => cached.delete(name));
  return secret;
}

/** An empty, blank or missing parameter means that billing is not configured. */
async function readParameter(name: string): Promise<string | undefined> {
  try {
    const { Parameter: found } = await parameterClient().send(
      new GetParameterCommand({ Name: name, WithDecryption: true }),
    );
    const secret = found?.Value?.trim();
    return secret === '' ? undefined : secret;
  } catch (error) {
    if (error instanceof Error && error.name === 'ParameterNotFound') return undefined;
    throw error;
  }
}

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
