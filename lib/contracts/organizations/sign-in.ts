import * as z from 'zod';
import { uniqueList } from '../fields/bodies.ts';
import { line, Timestamp } from '../fields/text.ts';

export const maximumDomains = 20;

/** A host name with at least two labels (RFC 1123). Domains are compared case-insensitively. */
export const Domain = z
  .string()
  .toLowerCase()
  .regex(/^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/, {
    message: 'must be a domain such as example.com',
  })
  .meta({ example: 'example.com' });

export const Domains = uniqueList(Domain, 1, maximumDomains);

export const ClientId = line(1, 500).meta({ example: 'EXAMPLE-client-id' });

/** Visible ASCII, as RFC 6749 (appendix A.2) has it. */
export const ClientSecret = z
  .string()
  .regex(/^[\x20-\x7e]{1,1000}$/, { message: 'must have 1 to 1000 visible ASCII characters' })
  .meta({ example: 'EXAMPLE-client-secret' });

/** Provider sign-in can't make somebody an owner or admin. */
export const defaultRoles = ['viewer', 'developer'] as const;
export const DefaultRole = z.enum(defaultRoles).nullable();

export const described = {
  issuer: 'The provider’s issuer URL, exactly as in its tokens.',
  clientId: 'The client’s identifier at the provider.',
  domains: 'The domains of the organization’s e-mail addresses.',
  defaultRole: 'The role of somebody who first signs in without an invitation; null: an invitation is needed.',
  required:
    'Whether members have to sign in through the provider. Owners can still log in with a passkey or an authenticator ' +
    'app that was added before, or seven days ago. Each such log-in is mailed to all owners.',
  trustFactor: 'Whether a second factor that the provider reports (`amr`, `acr`) counts as one here.',
  trustEmail:
    'Whether an address of a verified domain counts although the provider doesn’t send `email_verified`, as Entra ID ' +
    'doesn’t. Only for an issuer that belongs to one customer; Entra’s must name a tenant.',
  acceptRoundTrip:
    'Whether a confirmation counts as recent although the provider doesn’t send `auth_time`, once it has sent the person ' +
    'back to the session that asked for it.',
};

export const SignIn = z
  .object({
    issuer: z.string().meta({ description: described.issuer, example: 'https://login.example.com' }),
    clientId: z.string().meta({ description: described.clientId, example: 'EXAMPLE-client-id' }),
    hasClientSecret: z.boolean().meta({ description: 'Whether a client secret is stored. It is never returned.' }),
    redirectUri: z.string().meta({
      description: 'The redirect URI to register at the provider.',
      example: 'https://app.example.com/v1/auth/provider/analytical-engines/callback',
    }),
    domains: z
      .array(
        z.object({
          domain: Domain.meta({ description: 'The domain.' }),
          verified: z.boolean().meta({ description: 'Whether the organization has proved that it controls it.' }),
          txtRecord: z.string().meta({
            description: 'The TXT record that proves it.',
            example: 'holdfast-verification=EXAMPLE',
          }),
        }),
      )
      .meta({ description: described.domains }),
    defaultRole: DefaultRole.meta({ description: described.defaultRole, example: 'viewer' }),
    required: z.boolean().meta({ description: described.required }),
    trustFactor: z.boolean().meta({ description: described.trustFactor }),
    trustEmail: z.boolean().meta({ description: described.trustEmail }),
    acceptRoundTrip: z.boolean().meta({ description: described.acceptRoundTrip }),
    updatedAt: Timestamp.meta({ description: 'When it was last changed.' }),
  })
  .meta({ id: 'SignIn', description: 'How an organization’s members sign in with their company’s provider.' });
export type SignIn = z.infer<typeof SignIn>;

export const answer = z.object({ signIn: SignIn });

/** Its owner, with a fresh session and a verified address: whoever sets the provider decides who gets in. No token may. */
export const access = {
  kind: 'member',
  roles: ['owner'],
  tokens: 'session',
  narrowestToken: 'none',
  fresh: 'always',
} as const;
