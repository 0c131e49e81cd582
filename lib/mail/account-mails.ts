import type { Role } from '../contracts/fields/role.ts';
import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { composeMail, type Mail, unlinked } from './compose-mail.ts';

/** The name of the service in e-mails and authenticator apps. */
export const serviceName = 'Holdfast';

export function verificationMail(name: string, url: string): Mail {
  return composeMail('Verify your e-mail address', [
    `Hello ${unlinked(name)},`,
    'please confirm that this e-mail address is yours.',
    { label: 'Verify the address', url },
    'The link works once, for 24 hours. If you did not register, ignore this e-mail.',
  ]);
}

export function passwordResetMail(name: string, url: string): Mail {
  return composeMail('Reset your password', [
    `Hello ${unlinked(name)},`,
    'we received a request to reset the password of your account.',
    { label: 'Choose a new password', url },
    'The link works once, for an hour, and ends every session. If you did not request it, ignore this e-mail and your ' +
      'password will stay the same.',
  ]);
}

const factorChanges = {
  passkey_added: 'A passkey was added to your account.',
  passkey_removed: 'A passkey was removed from your account.',
  totp_added: 'An authenticator app was added to your account.',
  totp_removed: 'The authenticator app was removed from your account.',
  recovery_codes_renewed: 'New recovery codes were generated for your account. The old codes no longer work.',
  recovery_code_used: 'A recovery code was used to log in to your account. It no longer works.',
  passkey_counter_went_back:
    'A passkey of your account was used, and its counter of uses did not increase. That is normal after a password ' +
    'manager has moved or restored it. Otherwise somebody may have a copy: remove that passkey and add a new one.',
} as const;

/** A change to an account's authentication factors; also the name of the account event. */
export type FactorChange = keyof typeof factorChanges;

/** Uses of a factor that its owner hears about. */
export type FactorNotice = 'recovery_code_used' | 'passkey_counter_went_back';

/** The changes that add a factor. */
export type FactorAddition = 'passkey_added' | 'totp_added';

const changedSubject = 'Your log-in settings were changed';

async function linkTo(label: string, path: string) {
  return { label, url: new URL(path, await dashboardOrigin()).href };
}

/** The user chose the passkey's name, so the e-mail does not include it. */
export async function factorChangeMail(change: Exclude<FactorChange, FactorAddition>): Promise<Mail> {
  return composeMail(changedSubject, [
    factorChanges[change],
    await linkTo('Review your account', '/account'),
    'If this was not you, change your password immediately and end all other sessions.',
  ]);
}

export function factorAddedMail(change: FactorAddition, undoUrl: string): Mail {
  return composeMail(changedSubject, [
    factorChanges[change],
    'If this was you, no action is needed.',
    { label: 'This was not me: remove it', url: undoUrl },
    'The link works once, for 7 days. It also ends every session and revokes every token of your account. ' +
      'Choose a new password afterwards.',
  ]);
}

export async function factorUndoneMail(): Promise<Mail> {
  return composeMail(changedSubject, [
    'A passkey or authenticator app that was added to your account was removed with the link in our e-mail. ' +
      'All sessions of your account have ended, and all its tokens were revoked.',
    await linkTo('Choose a new password', '/forgot-password'),
    'Whoever added it may know your password.',
  ]);
}

export async function providerLinkedMail(organizationName: string): Promise<Mail> {
  return composeMail(changedSubject, [
    `Your account was linked to the sign-in provider of ${unlinked(organizationName)}. You can now log in with it ` +
      'instead of your password.',
    await linkTo('Review your account', '/account'),
    'If this was not you, end the link on your account page, change your password immediately, and end all other ' +
      'sessions.',
  ]);
}

export async function breakGlassMail({ name, slug }: { name: string; slug: string }, who: string): Promise<Mail> {
  return composeMail('A log-in without your company’s sign-in provider', [
    `${unlinked(who)}, an owner of ${unlinked(name)}, logged in without the sign-in provider that the organization ` +
      'requires. Owners with a second factor can do this in case the provider fails.',
    await linkTo('Review the members', `/organizations/${slug}/members`),
    'If nobody expected this, remove that owner and ask them to change their password.',
  ]);
}

export async function domainTakenMail({ name, slug }: { name: string; slug: string }, domain: string): Promise<Mail> {
  return composeMail('Another organization verified one of your domains', [
    `${domain} is no longer verified for ${unlinked(name)}: its TXT record is gone, and another organization has ` +
      'verified the domain. New people with an address in that domain can no longer sign in with your provider. ' +
      'People who already do still can.',
    await linkTo('Review the sign-in provider', `/organizations/${slug}/settings/sign-in`),
    'If the domain is yours, find out who changed its DNS records.',
  ]);
}

export async function wrongCodesMail(): Promise<Mail> {
  return composeMail('Failed attempts to log in to your account', [
    'Someone entered your correct password, followed by five wrong codes. Further codes are rejected for a while.',
    await linkTo('Choose a new password', '/forgot-password'),
    'If this was not you, someone knows your password. Choose a new one.',
  ]);
}

/** Invites a person to an organization. The subject is fixed, and no name in the e-mail can become a link. */
export function invitationMail(
  { organization, role, invitedBy }: { organization: string; role: Role; invitedBy: string },
  url: string,
): Mail {
  return composeMail('Invitation to an organization', [
    `${invitedBy} has invited you to join the organization “${unlinked(organization)}” as ${role}.`,
    { label: 'Accept the invitation', url },
    'The link works once, for 7 days. If you did not expect this invitation, ignore this e-mail.',
  ]);
}
