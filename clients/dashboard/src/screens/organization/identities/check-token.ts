import { clockSkewSeconds } from '@holdfast/contracts/fields/identity-limits.ts';
import { isOnlyAudience, matchClaims } from '@holdfast/contracts/fields/match-claims.ts';
import type { Identity } from '@holdfast/contracts/identities/identities.ts';
import { fromBase64url } from '../../../base64url.ts';

/** One condition on a token, with what was required and what was found. */
export interface TokenCheck {
  id: string;
  required: string;
  found: string;
  passes: boolean;
}

type Checked = Pick<Identity, 'issuer' | 'audience' | 'claims' | 'maxAssertionAgeMinutes'>;
type Claims = Readonly<Record<string, unknown>>;

/**
 * Compares a platform's token with an identity, without its signature. Pure: the token is neither sent nor kept.
 * @param nowMs epoch milliseconds
 * @returns undefined if the text is not a JSON Web Token
 */
export function checkToken(text: string, identity: Checked, nowMs: number): TokenCheck[] | undefined {
  const claims = claimsOf(text);
  if (claims === undefined) return undefined;
  const { issuer, audience } = identity;
  return [
    { id: 'iss', required: issuer, found: shown(claims.iss), passes: claims.iss === issuer },
    {
      id: 'aud',
      required: `${audience} alone`,
      found: shown(claims.aud),
      passes: isOnlyAudience(claims, audience),
    },
    ...timeChecks(claims, identity, nowMs / 1000),
    ...matchClaims(claims, identity.claims).map(({ name, accepted, value, matches }) => ({
      id: name,
      required: accepted?.join(' or ') ?? 'no pull or merge request, unless the identity requires this claim',
      found: shown(value),
      passes: matches,
    })),
  ];
}

function timeChecks({ iat, exp, nbf }: Claims, { maxAssertionAgeMinutes }: Checked, now: number): TokenCheck[] {
  const oldest = maxAssertionAgeMinutes * 60 + clockSkewSeconds;
  return [
    {
      id: 'iat',
      required: `issued at most ${minutes(maxAssertionAgeMinutes * 60)} ago`,
      found: typeof iat === 'number' ? `issued ${minutes(now - iat)} ago` : shown(iat),
      passes: typeof iat === 'number' && now - iat <= oldest && iat - now <= clockSkewSeconds,
    },
    {
      id: 'exp',
      required: 'not expired',
      found: typeof exp === 'number' ? endIn(exp - now) : shown(exp),
      passes: typeof exp === 'number' && now < exp + clockSkewSeconds,
    },
    ...(nbf === undefined ? [] : [startCheck(nbf, now)]),
  ];
}

/** `nbf` is optional, but the service rejects a token before that time. */
function startCheck(nbf: unknown, now: number): TokenCheck {
  return {
    id: 'nbf',
    required: 'already valid',
    found: typeof nbf !== 'number' ? shown(nbf) : nbf <= now ? 'already valid' : `valid in ${minutes(nbf - now)}`,
    passes: typeof nbf === 'number' && nbf <= now + clockSkewSeconds,
  };
}

function endIn(seconds: number): string {
  if (seconds > 0) return `valid for ${minutes(seconds)}`;
  return seconds > -clockSkewSeconds ? 'expired just now, within the clock skew' : 'expired';
}

/** The claims of a JSON Web Token, without a check of its signature; undefined for any other text. Pure. */
export function claimsOf(text: string): Claims | undefined {
  const parts = text.trim().split('.');
  if (parts.length !== 3) return undefined;
  try {
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fromBase64url(parts[1] ?? '')));
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? (claims as Claims) : undefined;
  } catch {
    // Not Base64, UTF-8 or JSON, so not a token.
    return undefined;
  }
}

function minutes(seconds: number): string {
  const count = Math.floor(seconds / 60);
  if (count < 1) return 'less than a minute';
  return count === 1 ? '1 minute' : `${count} minutes`;
}

/** A claim's value. Text is shown as it is, so that `"true"` and `true` look different. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  return typeof value === 'string' ? value : `${JSON.stringify(value)} (not text)`;
}
