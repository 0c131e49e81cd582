import { contract, succeeds } from '../contract.ts';
import { access } from './sign-in.ts';

export const deleteSignIn = contract({
  operationId: 'delete-sign-in',
  route: 'DELETE /v1/orgs/{orgId}/sign-in',
  summary: 'Remove the sign-in provider',
  description:
    'Nobody can sign in through the provider any more, and it is no longer required. Members and their sessions stay. ' +
    'The domains become free for other organizations. Owners with a verified e-mail address only.',
  access,
  responses: succeeds('There is no provider any more.'),
  errors: ['email_not_verified'],
  uses: {
    table: ['GetItem', 'BatchGetItem', 'DeleteItem'],
    writes: ['ORG', 'DOMAIN', 'AUDIT'],
  },
});
