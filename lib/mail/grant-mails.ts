import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { composeMail, type Mail, unlinked } from './compose-mail.ts';

interface RequestFacts {
  email: string;
  /** The project and the environment, by their slugs. */
  environment: string;
  access: 'read' | 'write';
  minutes: number;
  reason: string;
}

/** To those who may grant or refuse a request for access. */
export async function grantRequestMail(
  { name, slug }: { name: string; slug: string },
  { email, environment, access, minutes, reason }: RequestFacts,
): Promise<Mail> {
  const what = access === 'read' ? 'read' : 'change';
  return composeMail('Somebody asks for access to secrets', [
    `${unlinked(email)}, a member of ${unlinked(name)}, asks to ${what} the secrets of ${environment} for ${minutes} ` +
      `minutes. The reason given: “${unlinked(reason)}”`,
    { label: 'Review the request', url: new URL(`/organizations/${slug}/members`, await dashboardOrigin()).href },
    'Without an answer, the request ends in a day. You get at most one of these e-mails an hour; there may be more ' +
      'requests.',
  ]);
}
