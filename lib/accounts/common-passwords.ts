import { dictionary } from '@zxcvbn-ts/language-common';
import { invalidRequest } from '../core/errors.ts';
import { oncePerProcess } from '../core/process-memory.ts';

/** Marked as pure, so that only the bundles that call this contain the list. */
const commonPasswords = /* @__PURE__ */ oncePerProcess(
  'common-passwords',
  (): ReadonlySet<string> => new Set(dictionary['passwords-common']),
);

/**
 * Rejects the 50,000 most common leaked passwords of zxcvbn's list, as NIST SP 800-63B (5.1.1.2) requires.
 * @throws invalid_request naming `field`
 */
export function refuseCommonPassword(field: string, password: string): void {
  if (commonPasswords().has(password.toLowerCase())) {
    throw invalidRequest([{ path: field, message: 'is one of the most common passwords; choose another' }]);
  }
}
