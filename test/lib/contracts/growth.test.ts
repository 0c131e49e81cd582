import { expect, it } from 'vitest';
import { routes } from '#lib/contracts/routes.ts';

/*
 * What bounds each operation whose cost grows with an environment, a project, an organization or an account. All others
 * read and write only items that the request names. Whatever is larger has to be rejected with its size, or become a
 * job: an operation whose largest input takes longer than a request may would fail however often it is sent.
 */

const bounds = {
  /** The 4 MiB of an environment; an earlier revision also by `maximumChangesSince`. */
  environment: ['pull-secrets', 'list-keys', 'compare-environments', 'diff-revisions', 'validate-environment'],
  /** `maximumChangeUnits`, and for a restore `maximumChangesSince`; keys that are named also by `maxKeysPerChange`. */
  change: [
    'set-secret',
    'delete-secret',
    'import-secrets',
    'apply-changes',
    'bulk-delete-secrets',
    'promote-secrets',
    'restore-secrets',
  ],
  /** `maxKeysPerChange` and the 4 MiB of a proposal; applying one is a change like any other. */
  proposal: ['create-proposal', 'approve-proposal', 'apply-proposal', 'rebase-proposal'],
  /** The `limit` of a page, and what fits in a response; without a limit, a history has `maximumVersionsAtOnce`. */
  page: ['list-versions', 'list-revisions', 'list-organizations', 'list-proposals'],
  /** What one request reads of the audit log or exports; `next` continues. */
  budget: ['export-organization', 'list-audit-entries', 'feed-audit-entries'],
  /** The same for the log, but nothing yet for an environment's own changes, of which it reads every record. */
  allChanges: ['get-exposure'],
  /** Each transaction stays, so the next request continues. */
  resumed: ['destroy-versions'],
  /** One transaction of a hundred writes; a job does the rest. */
  job: ['delete-project', 'rotate-key'],
  /** A fixed number of items: deliveries that are kept, hours of metrics, the platform's counts. */
  fixed: ['get-webhook', 'delete-webhook', 'redeliver-webhook', 'get-statistics', 'summarize-metrics'],
  /** The tokens, sessions, passkeys, links and memberships of one person. */
  account: [
    'log-in',
    'complete-login',
    'continue-provider-sign-in',
    'step-up',
    'get-current-user',
    'rename-user',
    'create-token',
    'hand-off-token',
    'list-tokens',
    'revoke-token',
    'list-sessions',
    'end-session',
    'list-provider-links',
    'list-deleted-organizations',
    'end-provider-link',
    'start-passkey',
    'list-passkeys',
    'remove-passkey',
    'remove-totp',
    'undo-factor',
    'undo-email-change',
    'close-account',
    'confirm-email-change',
    'change-password',
    'reset-password',
    'create-organization',
  ],
  /** The members, projects, webhooks, keys or identities of an organization: a list over 6 MB is `413`. */
  organization: [
    'complete-provider-sign-in',
    'list-projects',
    'list-deleted',
    'restore-deleted',
    'erase-deleted',
    'get-project',
    'update-project',
    'set-sign-in',
    'verify-domain',
    'list-template-keys',
    'add-template-key',
    'remove-template-key',
    'update-template-key',
    'list-due',
    'list-webhooks',
    'create-webhook',
    'update-webhook',
    'list-members',
    'get-member',
    'invite-member',
    'change-role',
    'set-project-roles',
    'create-grant',
    'revoke-grant',
    'list-grants',
    'request-grant',
    'grant-request',
    'refuse-request',
    'remove-member',
    'leave-organization',
    'list-identities',
    'create-identity',
    'update-identity',
    'get-billing',
    'inspect-organization',
  ],
} as const;

const operation = (id: string) => routes.find(({ operationId }) => operationId === id);
const queryOf = (id: string) => Object.keys(operation(id)?.query?.shape ?? {});

it('everything that an operation reads without naming it has a bound', () => {
  const reading = routes.filter(({ uses }) => uses.table.Query !== undefined).map(({ operationId }) => operationId);
  expect(Object.values(bounds).flat().toSorted()).toEqual(reading.toSorted());
});

it('the bounds fit the contracts: changes can be planned, and pages have a limit', () => {
  for (const id of bounds.change) expect([id, queryOf(id)]).toEqual([id, expect.arrayContaining(['dryRun'])]);
  for (const id of bounds.page) expect([id, queryOf(id)]).toEqual([id, expect.arrayContaining(['limit'])]);
  const changing = routes.filter(({ operationId }) => queryOf(operationId).includes('dryRun'));
  expect(changing.map(({ operationId }) => operationId).toSorted()).toEqual([...bounds.change].toSorted());
});
