import { describe, expect, it } from 'vitest';
import { words } from '../support/words.ts';
import { chooseTests, importsIn, type Tree } from './choose-tests.ts';

const tree: Tree = {
  files: words(`README.md lib/crypto/totp.ts lib/accounts/log-in.ts functions/auth/log-in.ts
    functions/auth/revoke-session.ts test/docs/docs.test.ts test/functions/auth/auth.test.ts
    test/functions/auth/log-in.test.ts test/lib/crypto/totp.test.ts test/lib/crypto/envelope.test.ts
    test/structure.test.ts test/support/people.ts test/attacks/members.test.ts`),
  imports: new Map([
    ['lib/accounts/log-in.ts', ['lib/crypto/totp.ts']],
    ['functions/auth/log-in.ts', ['lib/accounts/log-in.ts']],
    ['functions/auth/revoke-session.ts', []],
    ['test/attacks/members.test.ts', ['test/support/people.ts']],
    ['test/functions/auth/log-in.test.ts', ['test/support/people.ts']],
  ]),
};
const structure = 'test/structure.test.ts';

describe('the tests of a change', () => {
  it('are the one named like the file, and those of the endpoints that use it', () => {
    expect(chooseTests(['lib/crypto/totp.ts'], tree)).toEqual([
      structure,
      'test/lib/crypto/totp.test.ts',
      'test/functions/auth/log-in.test.ts',
    ]);
  });

  it('are those of the area if an endpoint has none of its own', () => {
    expect(chooseTests(['functions/auth/revoke-session.ts'], tree)).toEqual([
      structure,
      'test/functions/auth/auth.test.ts',
    ]);
  });

  it('are those that use a changed builder, and changed tests themselves', () => {
    expect(chooseTests(['test/support/people.ts'], tree)).toEqual([
      structure,
      'test/functions/auth/log-in.test.ts',
      'test/attacks/members.test.ts',
    ]);
    expect(chooseTests(['test/lib/crypto/envelope.test.ts'], tree)).toEqual([
      structure,
      'test/lib/crypto/envelope.test.ts',
    ]);
  });

  it('are those of the documentation for a page', () => {
    expect(chooseTests(['README.md'], tree)).toEqual([structure, 'test/docs/docs.test.ts']);
  });
});

it('reads static and dynamic imports by relative paths and by name', () => {
  const text =
    "import { a } from '../b/c.ts';\nimport 'zod';\nconst d = await import('./d.ts');\nexport { e } from './e.ts';\n" +
    "import { f } from '#test/support/f.ts';\nimport { g } from '@holdfast/contracts/fields/g.ts';";
  const files = ['lib/b/c.ts', 'lib/a/d.ts', 'lib/a/e.ts', 'test/support/f.ts', 'lib/contracts/fields/g.ts'];
  expect(importsIn('lib/a/a.ts', text)).toEqual(files);
});
