import type { Role } from '../contracts/fields/role.ts';
import { composeMail, type Mail } from './compose-mail.ts';
import { unlinked } from './unlinked.ts';

/** Asks somebody to join an organization. The subject is the same for all, so that nobody chooses what it says. */
export function invitationMail(
  { organization, role, invitedBy }: { organization: string; role: Role; invitedBy: string },
  url: string,
): Mail {
  return composeMail({
    subject: 'Invitation to an organization',
    before: [`${invitedBy} invites you to join the organization “${unlinked(organization)}” as ${role}.`],
    link: { label: 'Accept the invitation', url },
    after: ['The link works once, for 7 days. If you do not know what this is about, ignore this mail.'],
  });
}
