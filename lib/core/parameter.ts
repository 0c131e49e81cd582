import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';

let client: SSMClient | undefined;

function parameterClient(): SSMClient {
  client ??= new SSMClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
  return client;
}

/**
 * How long a function caches a value: long enough that warm functions rarely wait for SSM, and short enough that a
 * rotated secret takes effect soon.
 */
const cacheMs = 5 * 60_000;
const cached = new Map<string, { value: Promise<string | undefined>; readAt: number }>();

/** The value of an SSM parameter, at most five minutes old; undefined if it is missing or blank. */
export async function parameter(name: string): Promise<string | undefined> {
  const known = cached.get(name);
  if (known !== undefined && Date.now() - known.readAt < cacheMs) return known.value;
  const value = readParameter(name);
  cached.set(name, { value, readAt: Date.now() });
  value.catch(() => cached.delete(name));
  return value;
}

async function readParameter(name: string): Promise<string | undefined> {
  try {
    const { Parameter: found } = await parameterClient().send(
      new GetParameterCommand({ Name: name, WithDecryption: true }),
    );
    const value = found?.Value?.trim();
    return value === '' ? undefined : value;
  } catch (error) {
    if (error instanceof Error && error.name === 'ParameterNotFound') return undefined;
    throw error;
  }
}
