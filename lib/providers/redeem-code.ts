import type { JWTPayload } from 'jose';
import type { RequestContext } from '../access/request-context.ts';
import { providerAnswer } from '../outbound/ask-worker.ts';
import type { SignInRecord } from '../table/records/sign-in.ts';
import { nonceOf, verifierOf } from './browser.ts';
import { verifyIdToken } from './id-token.ts';
import { type Profile, profileOf } from './profile.ts';
import type { Provider } from './provider.ts';
import { redirectUri } from './redirect-uri.ts';
import { SignInRefused } from './sign-in-refused.ts';

interface Code {
  orgSlug: string;
  code: string;
  state: string;
  /** From the browser's cookie. */
  secret: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
}

/** A person, as the provider has signed it. */
export interface ProvenPerson {
  claims: JWTPayload & { sub: string };
  profile: Profile;
}

/** An answer that the provider signed and that is refused all the same, so an owner learns about it. */
export class SignedAnswerRefused extends SignInRefused {}

const maximumTokenLength = 50_000;

/**
 * Exchanges the code for an id token, and verifies it. An address that it does not have is read from userinfo.
 * @throws provider_unavailable, invalid_answer
 */
export async function redeemCode(
  context: RequestContext,
  provider: Provider,
  signIn: SignInRecord,
  { orgSlug, code, state, secret, clientSecret }: Code,
): Promise<ProvenPerson> {
  const answer = await providerAnswer(
    {
      target: provider.endpoints.token,
      ...clientAuthentication(provider, signIn.clientId, clientSecret, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: await redirectUri(orgSlug),
        code_verifier: verifierOf(secret, state),
      }),
    },
    context.log,
  );
  if (answer === undefined) throw new SignInRefused('provider_unavailable');
  const { id_token: idToken, access_token: accessToken } = answer;
  if (typeof idToken !== 'string' || idToken.length > maximumTokenLength) throw new SignInRefused('invalid_answer');
  const expected = { issuer: provider.issuer, clientId: signIn.clientId, nonce: nonceOf(secret, state) };
  let verified = await verifyIdToken(idToken, expected, provider.keys);
  if ('problem' in verified && verified.problem === 'unknown-key') {
    // The provider may have changed its keys since.
    verified = await verifyIdToken(idToken, expected, await provider.renewKeys());
  }
  if ('problem' in verified) {
    throw verified.isSigned ? new SignedAnswerRefused('invalid_answer') : new SignInRefused('invalid_answer');
  }
  const { claims } = verified;
  const profile =
    claims.email === undefined ? await readUserinfo(context, provider, claims, accessToken) : profileOf(claims);
  return { claims, profile };
}

/** How the client proves itself (OpenID Connect Core 1.0, section 9; RFC 6749, section 2.3.1). Pure. */
export function clientAuthentication(
  { endpoints: { clientAuthentication: method } }: Pick<Provider, 'endpoints'>,
  clientId: string,
  clientSecret: string | undefined,
  form: Readonly<Record<string, string>>,
): { form: Record<string, string>; authorization?: string } {
  // A public client only has PKCE.
  if (clientSecret === undefined) return { form: { ...form, client_id: clientId } };
  if (method === 'client_secret_post') return { form: { ...form, client_id: clientId, client_secret: clientSecret } };
  const credentials = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  return { form: { ...form }, authorization: `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}` };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ text }).toString().slice('text='.length);
}

/**
 * The profile of somebody whose id token has no address. Whoever has signed in before needs none, so a userinfo that
 * doesn't respond has none either.
 * @throws invalid_answer if it is about somebody else (section 5.3.2)
 */
async function readUserinfo(
  { log }: RequestContext,
  { endpoints: { userinfo } }: Provider,
  claims: ProvenPerson['claims'],
  accessToken: unknown,
): Promise<Profile> {
  const signed = profileOf(claims);
  const isToken = typeof accessToken === 'string' && /^[\x21-\x7e]{1,50000}$/.test(accessToken);
  if (userinfo === undefined || !isToken) return signed;
  const answer = await providerAnswer({ target: userinfo, authorization: `Bearer ${accessToken}` }, log);
  if (answer === undefined) return signed;
  if (answer.sub !== claims.sub) throw new SignedAnswerRefused('invalid_answer');
  const profile = profileOf(answer);
  // What either of them denies is not verified.
  return signed.emailVerified === 'no' ? { ...profile, emailVerified: 'no' } : profile;
}
