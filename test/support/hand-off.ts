import { createHash, randomBytes } from 'node:crypto';
import type { Answer, Api } from './api.ts';
import { expectStatus } from './sample-requests.ts';

export function newVerifier() {
  const codeVerifier = randomBytes(32).toString('base64url');
  return { codeVerifier, codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url') };
}

/** Offers the command line a token, as the dashboard does in a session. */
export async function offerToken(api: Api, session: { cookie: string }, fields: object = {}) {
  const { codeVerifier, codeChallenge } = newVerifier();
  const answer = await api.post('/auth/cli-auth', { codeChallenge, name: 'laptop', ...fields }, session);
  return { answer, code: answer.body.code as string, codeVerifier };
}

export const takeToken = (api: Api, code: string, codeVerifier: string): Promise<Answer> =>
  api.post('/auth/cli-auth', { code, codeVerifier });

export async function handOffToken(api: Api, session: { cookie: string }, fields: object = {}) {
  const { answer, code, codeVerifier } = await offerToken(api, session, fields);
  await expectStatus(Promise.resolve(answer), 201);
  return (await expectStatus(takeToken(api, code, codeVerifier), 201)).body as { token: string };
}
