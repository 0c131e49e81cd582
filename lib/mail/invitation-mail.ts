import type { Role } from '../contracts/fields/role.ts';
import { composeMail, type Mail } from './compose-mail.ts';
import { unlinked } from './unlinked.ts';

/** Invites a person to an organization. The subject is fixed, and no name in the e-mail can become a link. */
export function invitationMail(
  { organization, role, invitedBy }: { organization: string; role: Role; invitedBy: string },
  url: string,
): Mail {
  return composeMail({
    subject: 'Invitation to an organization',
    before: [`${invitedBy} has invited you to join the organization “${unlinked(organization)}” as ${role}.`],
    link: { label: 'Accept the invitation', url },
    after: ['The link works once, for 7 days. If you did not expect this invitation, ignore this e-mail.'],
  });
}
