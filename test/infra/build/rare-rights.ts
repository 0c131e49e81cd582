/*
 * Rights to the table that the requests of `bundles.test.ts` don't need, with the case that needs them. Tests of the
 * operations cover most of these cases; `test/support/table-rights.ts` compares their calls with the rights as well.
 */

interface RareRights {
  when: string;
  functions: string;
  rights: readonly string[];
}

const changes = `set-secret import-secrets apply-changes restore-secrets promote-secrets bulk-delete-secrets
  delete-secret approve-proposal apply-proposal`;

const proposals = `list-proposals get-proposal reject-proposal withdraw-proposal record-progress`;

export const rareRights: readonly RareRights[] = [
  {
    when: 'the keys are described, which reads the template',
    functions: 'pull-secrets list-keys',
    rights: ['Query ORG'],
  },
  {
    when: 'a project is named, or values have changed since their ages were stored',
    functions: 'list-due',
    rights: ['GetItem ORG', 'Query ENV'],
  },
  {
    when: 'values have changed since their ages were stored',
    functions: 'mail-due',
    rights: ['Query ENV'],
  },
  {
    when: 'a template says when values expire in single environments',
    functions: 'update-template-key',
    rights: ['Query ORG'],
  },
  {
    when: 'a project has environments that can be restored, or more environments than one transaction holds',
    functions: 'delete-project',
    rights: ['ConditionCheckItem ORG'],
  },
  {
    when: 'an environment is restored rather than a project',
    functions: 'restore-deleted',
    rights: ['ConditionCheckItem ORG', 'PutItem ORG'],
  },
  {
    when: 'the key of the project was being rotated, which goes on',
    functions: 'restore-deleted',
    rights: ['PutItem UNFINISHED'],
  },
  {
    when: 'the time has come to erase a project that could be restored',
    functions: 'run-jobs',
    rights: ['PutItem UNFINISHED', 'UpdateItem PLATFORM'],
  },
  {
    when: 'somebody was mailed about a proposal more than an hour ago',
    functions: 'run-jobs',
    rights: ['PutItem RATE'],
  },
  {
    when: 'a token’s requests follow one another within a second, so that its member and project are kept',
    functions: 'restore-secrets promote-secrets',
    rights: ['GetItem ORG'],
  },
  {
    when: 'a change waits for another writer, undoes what one left, or finds out whether its own commit succeeded',
    functions: changes,
    rights: ['GetItem AUDIT', 'GetItem ENV', 'Query ENV', 'DeleteItem ENV'],
  },
  {
    when: 'a delivery can’t be queued, or its payload is too large for a message',
    functions: changes,
    rights: ['PutItem DELIVERIES', 'PutItem PAYLOAD'],
  },
  {
    when: 'a read meets a change that is still being written, or a client sends the revision that it has',
    functions: 'pull-secrets list-keys compare-environments diff-revisions validate-environment get-exposure',
    rights: ['GetItem ENV'],
  },
  {
    when: 'the same, for the values before the change',
    functions: 'list-keys compare-environments validate-environment get-exposure',
    rights: ['BatchGetItem ENV'],
  },
  {
    when: 'a search for a key reads the key’s history',
    functions: 'list-audit-entries feed-audit-entries',
    rights: ['GetItem ENV', 'BatchGetItem ENV', 'Query ENV', 'Query ORG'],
  },
  {
    when: 'a long log is searched, in several partitions, and its entries counted',
    functions: 'list-audit-entries',
    rights: ['GetItem AUDIT', 'PutItem AUDIT'],
  },
  {
    when: 'somebody asks about one person, token or key',
    functions: 'get-exposure',
    rights: ['GetItem ORG', 'GetItem USER', 'Query ENV', 'Query USER'],
  },
  {
    when: 'an organization has environments',
    functions: 'list-organizations inspect-organization',
    rights: ['BatchGetItem ENV'],
  },
  {
    when: 'another request changed the account first, so it is read again',
    functions: `end-provider-link add-passkey remove-passkey confirm-totp remove-totp renew-recovery-codes
      change-password reset-password create-organization exchange-assertion`,
    rights: ['GetItem USER'],
  },
  {
    when: 'another request changed the organization first, so it is read again',
    functions:
      'create-organization rename-organization delete-organization set-allowed-networks start-checkout open-portal',
    rights: ['GetItem ORG'],
  },
  {
    when: 'the account has tokens, some of them limited to an organization, which are revoked',
    functions: 'change-password reset-password end-provider-link',
    rights: ['DeleteItem USER', 'PutItem AUDIT'],
  },
  {
    when: 'the same, with the organizations',
    functions: 'change-password reset-password undo-email-change undo-factor',
    rights: ['BatchGetItem ORG', 'PutItem AUDIT'],
  },
  {
    when: 'the account has a second factor',
    functions: 'log-in step-up close-account',
    rights: ['PutItem CHALLENGE', 'Query USER'],
  },
  { when: 'the account has passkeys', functions: 'continue-provider-sign-in', rights: ['Query USER'] },
  { when: 'a passkey proves who closes the account', functions: 'close-account', rights: ['UpdateItem USER'] },
  { when: 'the account has tokens', functions: 'change-password', rights: ['Query USER'] },
  {
    when: 'a code or the password is wrong',
    functions: 'complete-login step-up change-password close-account',
    rights: ['UpdateItem RATE'],
  },
  {
    when: 'too many codes were wrong',
    functions: 'step-up complete-login close-account',
    rights: ['GetItem RATE', 'ConditionCheckItem RATE'],
  },
  {
    when: 'an owner, whom nobody may lock out, logs in from a network that failed too often',
    functions: 'log-in',
    rights: ['GetItem RATE', 'BatchGetItem ORG'],
  },
  {
    when: 'the log-in links the account to a provider, or ends another session',
    functions: 'complete-login',
    rights: ['GetItem SIGNIN', 'GetItem ORG', 'ConditionCheckItem DOMAIN', 'DeleteItem SIGNIN', 'DeleteItem USER'],
  },
  {
    when: 'a person joins an organization through its provider, which may use up or sweep invitations',
    functions: 'complete-login',
    rights: ['ConditionCheckItem ORG', 'Query ORG', 'PutItem AUDIT', 'PutItem ORG', 'UpdateItem ORG'],
  },
  {
    when: 'the same',
    functions: 'complete-login complete-provider-sign-in',
    rights: ['DeleteItem INVITATION', 'DeleteItem ORG'],
  },
  {
    when: 'the provider’s rules take rights away from a member',
    functions: 'complete-login complete-provider-sign-in',
    rights: ['PutItem REVOCATIONS'],
  },
  {
    when: 'the provider’s rules end a membership',
    functions: 'complete-provider-sign-in',
    rights: ['Query USER', 'BatchWriteItem USER'],
  },
  {
    when: 'the address belongs to an account that must log in first, or the sign-in replaces a session',
    functions: 'complete-provider-sign-in',
    rights: ['PutItem SIGNIN', 'DeleteItem USER'],
  },
  {
    when: 'the proof of a domain is old',
    functions: 'find-sign-in-methods complete-provider-sign-in',
    rights: ['GetItem ORG', 'PutItem AUDIT', 'UpdateItem DOMAIN', 'UpdateItem ORG'],
  },
  {
    when: 'the keys of a provider are old or unknown',
    functions: 'start-provider-sign-in complete-provider-sign-in',
    rights: ['GetItem ISSUER', 'UpdateItem ISSUER'],
  },
  { when: 'an owner tests the provider', functions: 'start-provider-sign-in', rights: ['GetItem ORG'] },
  {
    when: 'links from before an account listed its own',
    functions: 'list-provider-links end-provider-link',
    rights: ['Query ORG'],
  },
  { when: 'the same', functions: 'end-provider-link', rights: ['PutItem USER'] },
  {
    when: 'the account may be the last one that can get in without the provider',
    functions: 'remove-passkey remove-totp change-role remove-member leave-organization set-sign-in',
    rights: ['Query ORG', 'Query USER', 'ConditionCheckItem ORG', 'ConditionCheckItem USER'],
  },
  {
    when: 'another request changed the organization first, so it is read again',
    functions: 'stop-recovery stop-mailed-recovery',
    rights: ['GetItem ORG'],
  },
  {
    when: 'the person whom a recovery makes an owner is not a member yet',
    functions: 'advance-recovery',
    rights: ['PutItem ORG', 'PutItem USER'],
  },
  { when: 'members must have a factor', functions: 'rename-organization', rights: ['ConditionCheckItem USER'] },
  {
    when: 'addresses must be verified',
    functions: 'invite-member create-identity',
    rights: ['ConditionCheckItem USER'],
  },
  { when: 'another organization loses the domain', functions: 'verify-domain', rights: ['Query ORG'] },
  {
    when: 'a token is limited to a project or environment',
    functions: 'create-token hand-off-token',
    rights: ['Query ORG'],
  },
  {
    when: 'the limit to a project or environment changes',
    functions: 'update-webhook update-identity',
    rights: ['ConditionCheckItem ORG', 'Query ORG'],
  },
  {
    when: 'the mail about an added factor can’t be sent, so the factor is removed',
    functions: 'add-passkey',
    rights: ['DeleteItem PASSKEY', 'DeleteItem USER', 'PutItem CHALLENGE'],
  },
  { when: 'the same', functions: 'confirm-totp', rights: ['DeleteItem USER'] },
  {
    when: 'an app is replaced, or a role lowered, which an operator’s command can repeat on a restored table',
    functions: 'confirm-totp change-role',
    rights: ['PutItem REVOCATIONS'],
  },
  {
    when: 'the code that confirmed the app is sent again',
    functions: 'confirm-totp',
    rights: ['ConditionCheckItem USER'],
  },
  { when: 'the address had never been verified', functions: 'reset-password', rights: ['DeleteItem PASSKEY'] },
  {
    when: 'invitations have expired',
    functions: 'invite-member',
    rights: ['DeleteItem INVITATION', 'DeleteItem ORG'],
  },
  {
    when: 'the payment provider replaced the customer',
    functions: 'receive-provider-event',
    rights: ['DeleteItem CUSTOMER'],
  },
  { when: 'a member has tokens', functions: 'leave-organization', rights: ['BatchWriteItem USER'] },
  {
    when: 'the closed account has passkeys, an earlier address or organizations of its own',
    functions: 'close-account',
    rights: [
      'BatchGetItem CHALLENGE',
      'DeleteItem CHALLENGE',
      'DeleteItem PASSKEY',
      'Query ORG',
      'ConditionCheckItem ORG',
    ],
  },
  { when: 'the same', functions: 'close-account', rights: ['ConditionCheckItem USER', 'GetItem RATE'] },
  {
    when: 'the account has factors that were added, tokens or memberships',
    functions: 'undo-email-change',
    rights: ['DeleteItem PASSKEY', 'DeleteItem EMAIL', 'PutItem EMAIL', 'PutItem UNFINISHED', 'BatchWriteItem USER'],
  },
  { when: 'the same', functions: 'undo-email-change', rights: ['UpdateItem ORG', 'ConditionCheckItem USER'] },
  { when: 'the same', functions: 'undo-email-change', rights: ['DeleteItem USER'] },
  {
    when: 'an account that had many memberships, or passkeys, was closed or changed its address',
    functions: 'run-jobs',
    rights: ['BatchGetItem ORG', 'ConditionCheckItem USER', 'PutItem AUDIT', 'PutItem REVOCATIONS', 'UpdateItem USER'],
  },
  {
    when: 'the same',
    functions: 'run-jobs',
    rights: ['GetItem PLANS', 'DeleteItem EMAIL', 'DeleteItem PASSKEY', 'BatchWriteItem USER'],
  },
  { when: 'the webhook has a log', functions: 'delete-webhook', rights: ['DeleteItem DELIVERIES'] },
  { when: 'the payload is large', functions: 'redeliver-webhook deliver-webhooks', rights: ['BatchGetItem PAYLOAD'] },
  {
    when: 'the payload is large, or the log is full',
    functions: 'deliver-webhooks',
    rights: ['PutItem PAYLOAD', 'BatchWriteItem DELIVERIES'],
  },
  {
    when: 'what is erased has webhooks, invitations, domains or a customer',
    functions: 'run-jobs',
    rights: ['Query DELIVERIES', 'DeleteItem DELIVERIES', 'DeleteItem INVITATION', 'DeleteItem DOMAIN'],
  },
  { when: 'the same', functions: 'run-jobs', rights: ['GetItem CUSTOMER', 'DeleteItem CUSTOMER'] },
  { when: 'a key is rotated while a large change is being written', functions: 'run-jobs', rights: ['PutItem ENV'] },
  {
    when: 'a version that doesn’t know the archive has erased an organization',
    functions: 'archive-audit',
    rights: ['GetItem ORGID', 'DeleteItem ARCHIVE'],
  },
  {
    when: 'an open proposal has expired, so it is closed',
    functions: proposals,
    rights: ['PutItem AUDIT', 'UpdateItem ENV', 'BatchWriteItem ENV'],
  },
  { when: 'the same', functions: 'create-proposal', rights: ['UpdateItem ENV', 'BatchWriteItem ENV'] },
  { when: 'the same', functions: 'rebase-proposal', rights: ['BatchWriteItem ENV'] },
  {
    when: 'a token’s requests follow one another within a second, so that its member and project are kept',
    functions: 'create-proposal rebase-proposal',
    rights: ['GetItem ORG'],
  },
  {
    when: 'the change has more keys than are read one by one, or meets one that is still being written',
    functions: 'create-proposal rebase-proposal',
    rights: ['Query ENV'],
  },
];
