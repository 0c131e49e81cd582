import type { AccountContext } from '../../access/request-context.ts';
import { invalidRequest } from '../../core/errors.ts';
import { recoveryCodeRenewals } from '../../limits/rate-limits.ts';
import { hasSecondFactor, type UserRecord } from '../../table/records/user.ts';
import { changeFactors } from './change-factors.ts';

/** @throws invalid_request for an account that has no factor for the codes to stand in for; rate_limited */
export async function renewRecoveryCodes(context: AccountContext): Promise<string[]> {
  const decide = (user: UserRecord) => {
    if (!hasSecondFactor(user)) {
      throw invalidRequest([{ path: '', message: 'add a passkey or an authenticator app first' }]);
    }
    return { factors: {}, writes: [], newRecoveryCodes: true as const };
  };
  const limits = [recoveryCodeRenewals(context.principal.user.id)];
  return (await changeFactors(context, 'recovery_codes_renewed', decide, { limits })) ?? [];
}
