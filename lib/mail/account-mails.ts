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

/** Lets a user choose a new password. */
export function passwordResetMail(name: string, url: string): Mail {
  return composeMail({
    subject: 'Reset your password',
    before: [`Hello ${unlinked(name)},`, 'somebody, hopefully you, asked to reset the password of your account.'],
    link: { label: 'Choose a new password', url },
    after: [
      'The link works once, for an hour, and ends every session. If you did not ask for it, ignore this mail: your password stays as it is.',
    ],
  });
}
