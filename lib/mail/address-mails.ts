import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { composeMail, type Mail, unlinked } from './compose-mail.ts';

/** To the new address. It names neither the account nor its user, because the address may be a stranger's. */
export function emailChangeMail(url: string): Mail {
  return composeMail('Confirm your new e-mail address', [
    'Please confirm that you want to use this e-mail address for your account.',
    { label: 'Use this address', url },
    'The link works once, for 24 hours. If you did not ask for this, ignore this e-mail.',
  ]);
}

/** To the present address, in case somebody else has asked for the change. */
export function emailChangeNoticeMail(email: string, undoUrl: string): Mail {
  return composeMail('Your e-mail address is being changed', [
    `Someone with access to your account asked to change its e-mail address to ${unlinked(email)}. The change takes ` +
      'effect once it is confirmed there.',
    'If this was you, no action is needed.',
    { label: 'This was not me: keep my address', url: undoUrl },
    'The link works once, for 7 days, also after the change. It ends every session, revokes every token and ends every ' +
      'link to a sign-in provider. Choose a new password afterwards.',
  ]);
}

export async function emailUndoneMail(): Promise<Mail> {
  return composeMail('You kept your e-mail address', [
    'Your account has this e-mail address, and its change was undone. All sessions have ended, and all tokens were ' +
      'revoked. If the password was changed meanwhile, it no longer works, and second factors added meanwhile were ' +
      'removed.',
    { label: 'Choose a new password', url: new URL('/forgot-password', await dashboardOrigin()).href },
    'Whoever asked for the change may know your password.',
  ]);
}

/** To the address that the account had. */
export function accountClosedMail(): Mail {
  return composeMail('Your account was closed', [
    'Your account was closed, as you asked. Its memberships have ended, and its tokens no longer work.',
    'You can register again with this address. The new account gets nothing of the old one.',
    'If this was not you, contact an owner of each of your organizations immediately.',
  ]);
}
