import * as z from 'zod';
import { contract, ok, succeeds } from '../contract.ts';
import { Email } from '../fields/text.ts';
import { userBody } from './account.ts';
import { LinkToken } from './credentials.ts';

export const changeEmail = contract({
  operationId: 'change-email',
  route: 'POST /v1/auth/change-email',
  summary: 'Change the e-mail address',
  description:
    'Sends a link to the new address, which changes it, is valid for 24 hours, and replaces any earlier one; and a ' +
    'notice to the present address with a link that keeps it, also after the change. Limited to five times a day.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  body: z.strictObject({ email: Email.meta({ description: 'The new address.', example: 'ada@new.example.com' }) }),
  bodyExample: { email: 'ada@new.example.com' },
  responses: succeeds('The e-mails are on their way. The address stays the same until the link is used.'),
  errors: ['email_taken', 'rate_limited'],
  uses: {
    table: { GetItem: ['EMAIL'], ConditionCheckItem: ['USER'], PutItem: ['USER'], UpdateItem: ['RATE'] },
    mail: true,
  },
});

export const confirmEmailChange = contract({
  operationId: 'confirm-email-change',
  route: 'POST /v1/auth/change-email/confirm',
  summary: 'Confirm a new e-mail address',
  description:
    'Gives the account the new address with the token from the link that was mailed there. Members, tokens and the ' +
    'log-in have it from then on; what was recorded before keeps the address of its time. The earlier address stays ' +
    'reserved as long as the change can be undone. Requires no session. The token works once.',
  access: { kind: 'public' },
  body: z.strictObject({ token: LinkToken.meta({ example: 'EXAMPLE-change-token-0000' }) }),
  bodyExample: { token: 'EXAMPLE-change-token-0000' },
  responses: ok({ description: 'The user with the new address.', ...userBody }),
  errors: ['invalid_token', 'email_taken'],
  uses: {
    table: {
      GetItem: ['USER'],
      BatchGetItem: ['ORG', 'USER'],
      Query: ['USER'],
      ConditionCheckItem: ['USER'],
      PutItem: ['EMAIL', 'UNFINISHED'],
      UpdateItem: ['ORG', 'USER'],
      DeleteItem: ['USER'],
    },
    queues: ['jobs'],
  },
});

export const undoEmailChange = contract({
  operationId: 'undo-email-change',
  route: 'POST /v1/auth/change-email/undo',
  summary: 'Undo a change of the e-mail address',
  description:
    'Gives the account back the address that the token was mailed to, or ends the request to change it. The token ' +
    'works once and expires after 7 days. All of the account’s sessions, links to sign-in providers and other mailed ' +
    'links end, and all its tokens are revoked. A password that was set since the request stops working, and second ' +
    'factors added since are removed. Reset the password next.',
  access: { kind: 'public' },
  body: z.strictObject({ token: LinkToken.meta({ example: 'EXAMPLE-email-undo-token-0000' }) }),
  bodyExample: { token: 'EXAMPLE-email-undo-token-0000' },
  responses: succeeds('The account has the address.'),
  errors: ['invalid_token'],
  revokes: true,
  uses: {
    table: {
      GetItem: ['USER'],
      BatchGetItem: ['ORG', 'USER'],
      Query: ['USER'],
      ConditionCheckItem: ['USER'],
      PutItem: ['AUDIT', 'EMAIL', 'REVOCATIONS', 'UNFINISHED'],
      UpdateItem: ['ORG', 'USER'],
      DeleteItem: ['EMAIL', 'PASSKEY', 'USER'],
      BatchWriteItem: ['USER'],
    },
    queues: ['jobs'],
    mail: true,
  },
});
