import { contract, succeeds } from '../contract.ts';

export const endProviderLink = contract({
  operationId: 'end-provider-link',
  route: 'DELETE /v1/auth/providers/{linkId}',
  summary: 'End a link to a sign-in provider',
  description:
    'The provider no longer signs the caller in. Ends the sessions that came through it, and revokes the tokens ' +
    'created with them. The caller stays a member. To link the account again, sign in at the provider and then log ' +
    'in once. Requires a fresh session.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: succeeds('The link has ended.'),
  uses: {
    table: ['Query', 'BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['USER', 'ORG'],
    writes: ['USER', 'AUDIT'],
  },
});
