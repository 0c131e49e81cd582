import * as z from 'zod';
import { contract, passwordSizing } from '../contract.ts';
import { Email } from '../fields/text.ts';
import { issuing, PresentedPassword } from './credentials.ts';
import { linkCookie } from './sign-in-cookies.ts';
import { loggedIn } from './user.ts';

export const logIn = contract({
  operationId: 'log-in',
  route: 'POST /v1/auth/login',
  summary: 'Log in',
  description:
    'Starts a session for the dashboard and sets its cookie. An unknown e-mail address and a wrong password get ' +
    'the same response in about the same time. If the account has a second factor, a correct password doesn’t ' +
    'set a cookie yet: the response is 401 `second_factor_required`, and `POST /v1/auth/login/verify` completes ' +
    'the log-in.',
  access: { kind: 'public' },
  cookies: [linkCookie],
  body: z.strictObject({
    email: Email.meta({ description: 'The e-mail address, in upper or lower case.', example: 'ada@example.com' }),
    password: PresentedPassword.meta({ description: 'The password.', example: 'an example of a pass phrase' }),
  }),
  bodyExample: { email: 'ada@example.com', password: 'an example of a pass phrase' },
  responses: loggedIn,
  errors: ['invalid_credentials', 'second_factor_required', 'rate_limited'],
  servedInMaintenance: true,
  uses: {
    dashboardOrigin: true,
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['EMAIL', 'USER', 'RATE', 'SIGNIN', 'ORG', 'DOMAIN'],
    writes: ['USER', 'CHALLENGE', 'RATE', 'CREDENTIALKEY', 'SIGNIN', 'ORG'],
    key: { credentials: issuing },
    mail: true,
  },
  sizing: passwordSizing,
});
