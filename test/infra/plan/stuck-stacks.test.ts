import { describe, expect, test } from 'vitest';
import { requireSettled, type StackState } from '#infra/plan/stuck-stacks.ts';

const stack = (status: string, more: Partial<StackState> = {}): StackState => ({
  name: 'holdfast-foundation',
  region: 'eu-west-1',
  status,
  reason: undefined,
  isProtected: true,
  root: undefined,
  failed: [],
  ...more,
});

function refusalOf(...states: StackState[]): string {
  try {
    requireSettled(states);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('a stack that CloudFormation can’t update', () => {
  test.each([
    ['REVIEW_IN_PROGRESS', 'delete-stack'],
    ['CREATE_FAILED', 'delete-stack'],
    ['ROLLBACK_COMPLETE', 'delete-stack'],
    ['ROLLBACK_FAILED', 'delete-stack'],
    ['DELETE_FAILED', 'delete-stack'],
    ['UPDATE_FAILED', 'rollback-stack'],
    ['UPDATE_ROLLBACK_FAILED', 'continue-update-rollback'],
    ['CREATE_IN_PROGRESS', 'wait stack-create-complete'],
    ['ROLLBACK_IN_PROGRESS', 'wait stack-create-complete'],
    ['UPDATE_IN_PROGRESS', 'wait stack-update-complete'],
    ['UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', 'wait stack-update-complete'],
    ['UPDATE_ROLLBACK_IN_PROGRESS', 'wait stack-rollback-complete'],
    ['UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS', 'wait stack-rollback-complete'],
    ['DELETE_IN_PROGRESS', 'wait stack-delete-complete'],
    ['IMPORT_IN_PROGRESS', 'wait stack-import-complete'],
    ['IMPORT_ROLLBACK_FAILED', 'describe-stack-events'],
  ])('is named in the state %s, with the command that leaves it', (status, command) => {
    const said = refusalOf(stack(status), stack('UPDATE_COMPLETE', { name: 'holdfast-api' }));
    expect(said).toContain(`The stack holdfast-foundation is in the state ${status}.`);
    expect(said).not.toContain('holdfast-api');
    const options = '--stack-name holdfast-foundation --region eu-west-1';
    expect(said).toContain(`\n  aws cloudformation ${command} ${options}\n`);
    // CloudFormation refuses to delete a protected stack.
    const unprotect = `aws cloudformation update-termination-protection --no-enable-termination-protection ${options}`;
    expect(said.includes(unprotect)).toBe(command === 'delete-stack');
  });

  test('does not stop a deployment if it can be updated', () => {
    const settled = ['CREATE', 'UPDATE', 'UPDATE_ROLLBACK', 'IMPORT', 'IMPORT_ROLLBACK'].map(one => `${one}_COMPLETE`);
    for (const status of settled) expect(refusalOf(stack(status)), status).toBe('');
  });

  test('is named with its reason, and without a region if the credentials have one', () => {
    const said = refusalOf(stack('UPDATE_ROLLBACK_FAILED', { reason: 'no rights', region: undefined }));
    expect(said).toContain('is in the state UPDATE_ROLLBACK_FAILED (no rights).');
    expect(said).toContain('continue-update-rollback --stack-name holdfast-foundation\n');
  });
});
