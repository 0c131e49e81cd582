import { isObject } from './errors.ts';
import { noIdToken, reasonOf } from './id-token-failure.ts';
import type { IdTokenRequest } from './identity.ts';

const limitMs = 10_000;

export async function askGitHub({ audience, variables, fetch: doFetch }: IdTokenRequest): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url = '', ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer = '' } = variables;
  const failed = (reason: string, retryable: boolean, cause?: unknown) =>
    noIdToken(`GitHub Actions returned no token (${reason}): check that the job has the permission id-token: write.`, {
      retryable,
      cause,
    });
  let answer: { status: number; body: unknown };
  try {
    const address = new URL(url);
    address.searchParams.set('audience', audience);
    const response = await doFetch(address, {
      headers: { accept: 'application/json', authorization: `Bearer ${bearer}` },
      // Following a redirect would send the token to an address that the runner did not specify.
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
    });
    answer = { status: response.status, body: response.ok ? await response.json() : undefined };
  } catch (error) {
    throw failed(reasonOf(error), true, error);
  }
  const { status, body } = answer;
  if (isObject(body) && typeof body.value === 'string' && body.value !== '') return body.value;
  throw failed(`it answered ${status}`, status >= 500 || status === 429);
}
