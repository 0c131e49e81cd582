import { describe, expect, test } from 'vitest';
import { readConfig } from '#infra/plan/config.ts';
import { changesSender, type IdentityState, requireSendable, senderOf } from '#infra/plan/sender.ts';

const deployed = { identity: 'acme.test', isCreated: true };
const address = 'no-reply@other.test';
const configWith = (mailIdentity: string, mailFrom = address) => readConfig({ mailFrom, mailIdentity });

function refusalOf(mailIdentity: string, known: Record<string, IdentityState>, isAccepted = false): string {
  try {
    const change = { deployed, stateOf: (name: string) => known[name], isAccepted };
    requireSendable(configWith(mailIdentity), change, 'production');
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('a change of the sender', () => {
  test.each([
    ['another domain', 'domain', address, true],
    ['another address of the same domain', 'domain', 'Acme <mail@acme.test>', false],
    ['an address instead of the domain', 'address', 'mail@acme.test', true],
    ['the same domain, kept as it is', 'existing', 'mail@acme.test', false],
  ])('is one of the identity: %s', (_, mailIdentity, mailFrom, isChange) => {
    expect(changesSender(configWith(mailIdentity, mailFrom), deployed)).toBe(isChange);
  });

  test('is one if the installation starts to create the identity', () => {
    const created = configWith('domain');
    expect(changesSender(created, { ...senderOf(created), isCreated: false })).toBe(true);
    expect(changesSender(created, senderOf(created))).toBe(false);
  });

  test('needs a verified domain or address, or an operator who accepts that no mail is sent', () => {
    expect(refusalOf('existing', { 'other.test': 'verified' })).toBe('');
    expect(refusalOf('existing', { [address]: 'verified' })).toBe('');
    const silent = /^Mails would be sent as other\.test instead of acme\.test, .* no mail would be sent/;
    expect(refusalOf('existing', { 'other.test': 'pending' })).toMatch(silent);
    expect(refusalOf('domain', {})).toMatch(silent);
    expect(refusalOf('domain', {}, true)).toBe('');
  });

  test('never creates an identity that SES already has', () => {
    for (const state of ['verified', 'pending'] as const) {
      expect(refusalOf('domain', { 'other.test': state }, true)).toContain('Set "mailIdentity": "existing"');
    }
    expect(refusalOf('address', { 'other.test': 'verified' }, true)).toBe('');
  });
});
