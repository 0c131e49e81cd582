import { contract, ok, passwordSizing } from '../contract.ts';
import { Success } from '../fields/bodies.ts';
import { AccountProof, accountProofExample } from './sign-in.ts';

export const closeAccount = contract({
  operationId: 'close-account',
  route: 'DELETE /v1/auth/me',
  summary: 'Close the account',
  description:
    'Closes the caller’s account for good, given its password and second factor as for `POST /v1/auth/step-up`. Ends ' +
    'all its memberships, sessions, tokens, factors, links to sign-in providers and mailed links. The last owner of an ' +
    'organization gets `last_owner` with the `organizations` in its details. What the account created in organizations ' +
    'stays, and audit entries keep its identifier and address. The address can be registered again; the new account ' +
    'gets nothing of the closed one.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  body: AccountProof,
  bodyExample: accountProofExample,
  responses: ok({
    description: 'The account is closed.',
    body: Success,
    headers: { 'Set-Cookie': 'Clears the session cookie.' },
  }),
  errors: ['second_factor_required', 'invalid_token', 'last_owner', 'rate_limited'],
  revokes: true,
  uses: {
    table: {
      GetItem: ['RATE', 'USER'],
      BatchGetItem: ['CHALLENGE', 'ORG', 'RATE'],
      Query: ['ORG', 'USER'],
      ConditionCheckItem: ['ORG', 'RATE', 'USER'],
      PutItem: ['AUDIT', 'CHALLENGE', 'ORG', 'REVOCATIONS', 'UNFINISHED'],
      UpdateItem: ['ORG', 'PLATFORM', 'RATE', 'USER'],
      DeleteItem: ['CHALLENGE', 'EMAIL', 'ORG', 'PASSKEY', 'RATE', 'USER'],
      BatchWriteItem: ['USER'],
    },
    dashboardOrigin: true,
    key: { totp: ['Decrypt'] },
    mail: true,
  },
  sizing: passwordSizing,
});
