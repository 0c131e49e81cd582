import type { keyTypes } from './identity-limits.ts';

type PublicKey = { kty: (typeof keyTypes)[number] } & { [Name in (typeof keptMembers)[number]]?: string };

const keptMembers = ['kid', 'alg', 'crv', 'x', 'y', 'n', 'e'] as const;
const curves: Readonly<Record<string, readonly string[]>> = { EC: ['P-256', 'P-384'], OKP: ['Ed25519'] };
/** An issuer that rotates its keys has a few at a time. */
export const maximumKeys = 50;

const hasLength = (value: unknown, minimum: number, maximum: number): boolean =>
  typeof value === 'string' && value.length >= minimum && value.length <= maximum;

/**
 * The keys in a set that can verify RS256, ES256, ES384 or EdDSA, with only their public members. RSA keys below 2,048
 * bits (342 digits of base64url) or above 8,192 are left out, and so is anything malformed. Pure.
 */
export function verificationKeys(set: unknown): PublicKey[] {
  const keys = (set as { keys?: unknown } | null | undefined)?.keys;
  if (!Array.isArray(keys)) return [];
  return keys.slice(0, maximumKeys).flatMap(key => {
    if (typeof key !== 'object' || key === null) return [];
    const { kty, use, crv, n, e } = key as Record<string, unknown>;
    if (use !== undefined && use !== 'sig') return [];
    const isRsa = kty === 'RSA' && hasLength(n, 342, 1366) && hasLength(e, 1, 8);
    if (!isRsa && curves[String(kty)]?.includes(String(crv)) !== true) return [];
    const kept = keptMembers.flatMap(name => {
      const value = (key as Record<string, unknown>)[name];
      return typeof value === 'string' && value.length <= 1400 ? [[name, value]] : [];
    });
    return [{ kty, ...Object.fromEntries(kept) } as PublicKey];
  });
}
