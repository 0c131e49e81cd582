import * as z from 'zod';
import { contract, created, passwordSizing } from '../contract.ts';
import { Organization } from '../fields/organization.ts';
import { Email, Name } from '../fields/text.ts';
import { cookieHeader, issuing, NewPassword } from './credentials.ts';
import { User } from './user.ts';

export const register = contract({
  operationId: 'register',
  route: 'POST /v1/auth/register',
  summary: 'Create an account and its personal organization',
  description:
    'Creates a user and an organization that the user owns, logs the user in with a session cookie, and sends ' +
    'an e-mail with a link to verify the address. The name defaults to the part of the e-mail address before ' +
    'the @.',
  access: { kind: 'public' },
  body: z.strictObject({
    email: Email.meta({ description: 'The e-mail address to log in with.', example: 'ada@example.com' }),
    password: NewPassword.meta({ description: 'The password. Any characters are allowed.' }),
    name: Name.optional().meta({ description: 'Display name.', example: 'Ada' }),
    organizationName: Name.optional().meta({
      description: 'Name of the personal organization. Defaults to a name based on the user’s.',
      example: 'Analytical Engines',
    }),
  }),
  bodyExample: {
    email: 'ada@example.com',
    password: 'an example of a pass phrase',
    name: 'Ada',
    organizationName: 'Analytical Engines',
  },
  responses: created({
    description: 'The account and its organization; the session cookie is set.',
    body: z.object({ user: User, organization: Organization }),
    headers: cookieHeader,
  }),
  errors: ['email_taken', 'rate_limited'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    reads: ['EMAIL', 'RETIRED'],
    writes: ['USER', 'EMAIL', 'ORG', 'ORGID', 'ORGS', 'PLATFORM', 'AUDIT', 'RATE', 'CREDENTIALKEY'],
    key: { credentials: issuing },
    mail: true,
  },
  sizing: passwordSizing,
});
