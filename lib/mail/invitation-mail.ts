import type { Role } from '../contracts/fields/role.ts';
import { composeMail, type Mail } from './compose-mail.ts';

/** Invites a person to an organization. */
export function invitationMail(
  { organization, role, invitedBy }: { organization: string; role: Role; invitedBy: string },
  url: string,
): Mail {
  return composeMail({
    subject: `Invitation to ${organization}`,
    before: [`${invitedBy} invites you to join the organization “${organization}” as ${role}.`],
    link: { label: 'Accept the invitation', url },
    after: ['The link works once, for 7 days. If you did not expect it, ignore this mail.'],
  });
}
