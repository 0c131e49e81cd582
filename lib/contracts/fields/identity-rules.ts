import * as z from 'zod';
import { uniqueList } from './bodies.ts';
import { keyTypes } from './identity-limits.ts';
import { hasCredentials, line } from './text.ts';
import { maximumKeys, verificationKeys } from './verification-keys.ts';

/** The name appears where a member has an e-mail address, so it must not look like one. */
export const IdentityName = line(1, 100).refine(name => !name.includes('@'), {
  message: 'must not contain @, because it is shown where members have their e-mail address',
});

/** Checks only the format. The settings and the resolved address decide which schemes and addresses are allowed. */
export const Issuer = line(1, 500)
  .refine(value => /^https?:\/\//.test(value) && URL.canParse(value), { message: 'must be an absolute https URL' })
  .refine(value => !/[?#]/.test(value), { message: 'must not have a query or fragment' })
  .refine(value => !hasCredentials(value), { message: 'must not contain a user name or password' })
  .meta({ format: 'uri' });

export const claimName = /^[\x21-\x7e]{1,200}$/;
export const ClaimValue = line(1, 500);
export const Claims = z.record(
  z.string().regex(claimName),
  z
    .union([ClaimValue, uniqueList(ClaimValue, 1, 10)], { error: 'must be text or a list of texts' })
    .describe('The accepted value, or a list of them.'),
);

const maximumClaims = 10;

/** Zod silently drops a `__proto__` member, which would drop a condition. */
export const DemandedClaims = z
  .unknown()
  .refine(value => !(typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')), {
    message: 'has a name that is not allowed',
    abort: true,
  })
  .pipe(
    Claims.refine(claims => Object.keys(claims).length <= maximumClaims, {
      message: `must have at most ${maximumClaims} fields`,
    }),
  )
  .meta({ documentedAs: () => Claims.meta({ minProperties: 1, maxProperties: maximumClaims }) });

const Base64Url = z.string().regex(/^[A-Za-z0-9_-]{1,1400}$/, { message: 'must be base64url' });
const member = (schema: z.ZodType<string>, description: string) => schema.optional().describe(description);

/** A public key. A private key has members that are not known here, so it is rejected. */
const PublicJwk = z
  .strictObject({
    kty: z.enum(keyTypes).meta({ description: 'The key type.', example: 'EC' }),
    kid: member(z.string().max(200), 'The key’s identifier, as in the header of tokens.'),
    alg: member(z.string().max(20), 'The algorithm that the key is for.'),
    use: member(z.string().max(20), 'The intended use; only `sig` keys are used.'),
    crv: member(z.string().max(20), 'The curve.'),
    x: member(Base64Url, 'Coordinate of an EC or OKP key.'),
    y: member(Base64Url, 'Coordinate of an EC key.'),
    n: member(Base64Url, 'Modulus of an RSA key.'),
    e: member(Base64Url, 'Exponent of an RSA key.'),
    key_ops: z.array(z.string().max(20)).max(10).optional().describe('Ignored.'),
    x5t: member(z.string().max(200), 'Ignored.'),
    'x5t#S256': member(z.string().max(200), 'Ignored.'),
    x5c: z.array(z.string().max(8000)).max(10).optional().describe('Ignored.'),
  })
  .describe('A public key (RFC 7517).');

export const Jwks = z.strictObject({ keys: z.array(PublicJwk).max(maximumKeys).describe('The keys.') });

export const GivenJwks = Jwks.transform(set => ({ keys: verificationKeys(set) }))
  .refine(({ keys }) => keys.length > 0, {
    path: ['keys'],
    message: 'must have a signing key for RS256 (2048 bits or more), ES256, ES384 or EdDSA',
  })
  .meta({ documentedAs: () => Jwks });
