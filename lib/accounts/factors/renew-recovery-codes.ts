import type { AccountContext } from '../../access/request-context.ts';
import { invalidRequest } from '../../core/errors.ts';
import { hasSecondFactor } from '../../table/records/user.ts';
import { changeFactors } from './change-factors.ts';

/** @throws invalid_request for an account that has no factor for the codes to stand in for */
export async function renewRecoveryCodes(context: AccountContext): Promise<string[]> {
  const codes = await changeFactors(context, 'recovery_codes_renewed', user => {
    if (!hasSecondFactor(user)) {
      throw invalidRequest([{ path: '', message: 'add a passkey or an authenticator app first' }]);
    }
    return { factors: {}, writes: [], newRecoveryCodes: true };
  });
  return codes ?? [];
}
