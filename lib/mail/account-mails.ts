import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { composeMail, type Mail } from './compose-mail.ts';
import { unlinked } from './unlinked.ts';

/** The name of the service in mails and authenticator apps. */
export const serviceName = 'Holdfast';

/** Asks a user to confirm that the address is theirs. */
export function verificationMail(name: string, url: string): Mail {
  return composeMail({
    subject: 'Verify your e-mail address',
    before: [`Hello ${unlinked(name)},`, 'please confirm that this e-mail address is yours.'],
    link: { label: 'Verify the address', url },
    after: ['The link works once, for 24 hours. If you did not register, ignore this e-mail.'],
  });
}

/** Asks a user to choose a new password. */
export function passwordResetMail(name: string, url: string): Mail {
  return composeMail({
    subject: 'Reset your password',
    before: [`Hello ${unlinked(name)},`, 'we received a request to reset the password of your account.'],
    link: { label: 'Choose a new password', url },
    after: [
      'The link works once, for an hour, and ends every session. If you did not request it, ignore this e-mail and your password will stay the same.',
    ],
  });
}

const factorChanges = {
  passkey_added: 'A passkey was added to your account.',
  passkey_removed: 'A passkey was removed from your account.',
  totp_added: 'An authenticator app was added to your account.',
  totp_removed: 'The authenticator app was removed from your account.',
  recovery_codes_renewed: 'New recovery codes were made for your account. The old codes no longer work.',
  recovery_code_used: 'A recovery code was used to log in to your account. It no longer works.',
} as const;

/** A change to an account's authentication factors; also the name of the account event. */
export type FactorChange = keyof typeof factorChanges;

/** Notifies a user of the change. The user chose the passkey's name, so the mail does not include it. */
export async function factorChangeMail(change: FactorChange): Promise<Mail> {
  return composeMail({
    subject: 'Your log-in settings were changed',
    before: [factorChanges[change]],
    link: { label: 'Review your account', url: new URL('/account', await dashboardOrigin()).href },
    after: ['If this was not you, change your password immediately and end all other sessions.'],
  });
}
