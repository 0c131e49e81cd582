import { describe, expect, it } from 'vitest';
import { functions } from '#infra/plan/functions.ts';
import { contextKeys, isAllowed } from '#infra/stacks/policy.ts';
import { partitions } from '#lib/contracts/partitions.ts';
import { keys, ranges } from '#lib/table/keys.ts';
import { synthesize } from '../support/installation.ts';
import { words } from '../support/words.ts';

/* `test/infra/build/bundles.test.ts` runs every bundle under these rights. */
const rights = synthesize().rights();
const rightsOf = (name: string) => rights.get(name) ?? [];

describe('a role', () => {
  const project = { organization: 'o', project: 'p', keyVersion: '1' };
  const decrypt = (context: Record<string, string>) => ({ action: 'kms:Decrypt', keys: contextKeys(context) });
  const write = (action: string, partition: string, more = {}) => ({
    action: `dynamodb:${action}`,
    keys: { 'dynamodb:LeadingKeys': [partition], ...more },
  });
  const changes = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'];

  it('of the webhook sender, which contacts customers’ hosts, can’t unwrap project keys or change anything', () => {
    const may = (request: Parameters<typeof isAllowed>[1]) => isAllowed(rightsOf('deliver-webhooks'), request);
    expect(may(decrypt({ organization: 'o', webhook: 'w' }))).toBe(true);
    for (const context of [project, { ...project, webhook: 'w' }, {}]) expect(may(decrypt(context))).toBe(false);
    expect(may(write('Query', 'DELIVERIES#w'))).toBe(true);
    expect(may(write('Query', 'ORG#a'))).toBe(false);
    for (const partition of ['ORG#a', 'USER#u', 'ENV#a#b#c', 'AUDIT#o']) {
      for (const action of changes) expect(may(write(action, partition)), `${action} ${partition}`).toBe(false);
    }
  });

  it('of the function that fetches issuers’ keys from hosts that customers choose allows only logging', () => {
    const allowed = rightsOf('make-outbound-requests').flatMap(({ Action }) => [Action].flat());
    expect(allowed.sort()).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
  });

  it('invokes another function only to ask issuers, providers and name servers, and only the one without rights', () => {
    const invoking = [...rights].flatMap(([name, statements]) =>
      statements
        .filter(({ Action }) => [Action].flat().some(action => action.startsWith('lambda:')))
        .map(({ Action, Resource }) => ({ name, Action, arn: JSON.stringify(Resource) })),
    );
    const asking = `complete-provider-sign-in exchange-assertion find-sign-in-methods start-provider-sign-in
      verify-domain`;
    expect(invoking.map(({ name }) => name).toSorted()).toEqual(words(asking));
    for (const { Action, arn } of invoking) {
      expect(Action).toBe('lambda:InvokeFunction');
      expect(arn).toMatch(/:function:holdfast-make-outbound-requests:live"\]\]\}$/);
    }
  });

  it('decrypts project keys only where values are read or written, and never without a context', () => {
    const openers = [...rights.keys()].filter(name => isAllowed(rightsOf(name), decrypt(project)));
    const listed = `apply-changes apply-proposal approve-proposal bulk-delete-secrets compare-environments create-proposal
      delete-secret diff-revisions export-organization get-proposal import-secrets list-versions promote-secrets
      pull-secrets rebase-proposal restore-secrets run-jobs set-secret validate-environment`;
    expect(openers.sort()).toEqual(words(listed));
    for (const [name, statements] of rights) expect(isAllowed(statements, decrypt({})), name).toBe(false);
  });

  it('can change only the partitions it lists, and none has access to all partitions', () => {
    for (const [name, statements] of rights) {
      for (const action of changes) {
        expect(isAllowed(statements, write(action, 'ELSEWHERE#1')), `${name} ${action}`).toBe(false);
      }
    }
    for (const name of ['pull-secrets', 'list-keys', 'list-members', 'get-project', 'validate-environment']) {
      for (const partition of ['ORG#a', 'ENV#a#b#c', 'EMAIL#e', 'PLANS']) {
        expect(isAllowed(rightsOf(name), write('UpdateItem', partition)), `${name} ${partition}`).toBe(false);
      }
    }
  });

  it('can add to the audit log, but change or remove nothing in it, except to erase an organization', () => {
    const entries = ['AUDIT#o', 'AUDIT#o#7'];
    const holders = (action: string) =>
      [...rights].flatMap(([name, statements]) =>
        entries.some(partition => isAllowed(statements, write(action, partition))) ? [name] : [],
      );
    expect(holders('UpdateItem')).toEqual([]);
    expect(holders('DeleteItem')).toEqual([]);
    expect(holders('BatchWriteItem')).toEqual(['run-jobs']);
    expect(isAllowed(rightsOf('pull-secrets'), write('PutItem', 'AUDIT#o'))).toBe(true);
    // A put replaces an entry with the same key, which has a random part. These find keys, and store counts or entries:
    // the job records which organizations the owner of a closed account has left.
    const finders = new Set(holders('Query'));
    const findAndPut = words('export-organization list-audit-entries run-jobs');
    expect(
      holders('PutItem')
        .filter(name => finders.has(name))
        .toSorted(),
    ).toEqual(findAndPut);
  });

  it('that reads and audits writes nothing else but the use of its credential and the count of requests', () => {
    for (const name of ['pull-secrets', 'list-versions', 'validate-environment', 'diff-revisions']) {
      for (const action of changes) {
        const allowed = Object.keys(partitions).filter(partition =>
          isAllowed(rightsOf(name), write(action, `${partition}#1`)),
        );
        const expected = { PutItem: ['AUDIT'], UpdateItem: ['RATE', 'USER'] }[action] ?? [];
        expect(allowed, `${name} ${action}`).toEqual(expected);
      }
    }
  });

  it('can write an account but never make an administrator', () => {
    const makeAdmin = (action: string) => write(action, 'USER#u', { 'dynamodb:Attributes': ['pk', 'sk', 'isAdmin'] });
    for (const [name, statements] of rights) {
      for (const action of ['PutItem', 'UpdateItem', 'BatchWriteItem']) {
        expect(isAllowed(statements, makeAdmin(action)), `${name} ${action}`).toBe(false);
      }
    }
    expect(isAllowed(rightsOf('register'), write('PutItem', 'USER#u'))).toBe(true);
  });

  it('lists only partitions that the table has', () => {
    const makers = [...Object.values(keys), ...Object.values(ranges)];
    const existing = new Set(makers.flatMap(make => String(make).match(/(?<=["'`])[A-Z]+(?=[#"'`])/g) ?? []));
    const named = functions.flatMap(({ uses }) => Object.values(uses.table).flat());
    expect([...named, ...Object.keys(partitions)].filter(partition => !existing.has(partition))).toEqual([]);
  });
});
