import type { RequestContext } from '../../access/request-context.ts';
import { count } from '../../limits/count.ts';
import { factorMails } from '../../limits/rate-limits.ts';
import { factorUndoneMail } from '../../mail/account-mails.ts';
import { at, find } from '../../table/read.ts';
import type { Factor } from '../../table/records/link.ts';
import { type PasskeyRecord, passkeyRecord } from '../../table/records/passkey.ts';
import { invalidLink, openUndoLink } from '../mailed-link.ts';
import { endSessions, readHeldTokens } from '../set-password.ts';
import { factorGone } from './factors-gone.ts';
import { mailUnlessRefused } from './mail-unless-refused.ts';

/**
 * Removes the factor named in an e-mail, and the recovery codes created with it or later. The same transaction ends
 * every session, token, reset link, and link to a provider, because whoever added the factor had one of them or the
 * password. It does so even
 * if the factor is already gone, because recovery codes created in the meantime may remain.
 * @throws invalid_token
 */
export async function undoFactor({ source, log }: RequestContext, token: string): Promise<void> {
  const { user, factor, change, useUp } = await openUndoLink(token);
  const [held, found] = await Promise.all([readHeldTokens(user.id), findPasskey(user.id, factor)]);
  let isFirst = true;
  const ending = endSessions({
    user,
    held,
    source,
    decide: async current => {
      const passkey = isFirst ? found : await findPasskey(current.id, factor);
      isFirst = false;
      const { set, writes } = factorGone(current, factor, change, passkey);
      return { set, writes: [...writes, useUp] };
    },
    recovers: true,
    gone: invalidLink,
  });
  // Counted in parallel. A rejection is handled where the e-mail is sent.
  const counting = count(factorMails(user.id));
  counting.catch(() => undefined);
  await ending;
  log.account('factor_undone', { userId: user.id, method: factor.method, ip: source.ip });
  await mailUnlessRefused(log, user, counting, factorUndoneMail);
}

async function findPasskey(userId: string, factor: Factor): Promise<PasskeyRecord | undefined> {
  return factor.method === 'passkey' ? find(at(passkeyRecord, userId, factor.credentialId)) : undefined;
}
