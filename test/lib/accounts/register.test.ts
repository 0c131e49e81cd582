import { describe, expect, it } from 'vitest';
import { refuseCommonPassword } from '#lib/accounts/common-passwords.ts';
import { personalOrganizationName } from '#lib/accounts/register.ts';
import { Name } from '#lib/contracts/fields/text.ts';

describe('the name of a personal organization', () => {
  it('is derived from the user’s', () => {
    expect(personalOrganizationName('Ada')).toBe("Ada's organization");
  });

  it('stays within the maximum length for the longest user name, without splitting a character', () => {
    const name = personalOrganizationName('😀'.repeat(100));

    expect(Name.safeParse(name).success).toBe(true);
    expect(name).toBe(`${'😀'.repeat(85)}'s organization`);
  });
});

describe('a common password', () => {
  it.each(['administrator', 'ADMINISTRATOR', '123456789987654321'])('%s is rejected', password => {
    expect(() => refuseCommonPassword('password', password)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it.each(['correct horse battery', 'an example of a pass phrase', 'CorrectHorseBatteryStaple'])(
    'is not %s',
    password => {
      expect(() => refuseCommonPassword('password', password)).not.toThrow();
    },
  );
});
