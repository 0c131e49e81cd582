import { composeMail, type Mail } from './compose-mail.ts';
import { unlinked } from './unlinked.ts';

/** Asks a user to confirm that the address is theirs. */
export function verificationMail(name: string, url: string): Mail {
  return composeMail({
    subject: 'Verify your e-mail address',
    before: [`Hello ${unlinked(name)},`, 'please confirm that this e-mail address is yours.'],
    link: { label: 'Verify the address', url },
    after: ['The link works once, for 24 hours. If you did not register, ignore this mail.'],
  });
}

/** Asks a user to choose a new password. */
export function passwordResetMail(name: string, url: string): Mail {
  return composeMail({
    subject: 'Reset your password',
    before: [`Hello ${unlinked(name)},`, 'we received a request to reset the password of your account.'],
    link: { label: 'Choose a new password', url },
    after: [
      'The link works once, for an hour, and ends every session. If you did not request it, ignore this mail. Your password stays the same.',
    ],
  });
}
