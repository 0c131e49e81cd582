import { composeMail, dashboardPage, type Mail, unlinked } from './compose-mail.ts';

interface Place {
  organization: { name: string; slug: string };
  project: string;
  env: string;
}

/** Asks somebody who may approve a proposal to decide about it. Names keys by their number only. */
export async function proposalMail(
  { organization, project, env }: Place,
  { id, author, keyCount, message }: { id: string; author: string; keyCount: number; message: string | undefined },
): Promise<Mail> {
  const count = keyCount === 1 ? 'one secret' : `${keyCount} secrets`;
  const path = `/organizations/${organization.slug}/projects/${project}/environments/${env}`;
  return composeMail('A change waits for your approval', [
    `${unlinked(author)} proposes to change ${count} of ${project}/${env} in ${unlinked(organization.name)}.` +
      (message === undefined ? '' : ` The reason given: “${unlinked(message)}”`),
    { label: 'Open the proposal', url: await dashboardPage(`${path}/proposals/${id}`) },
    'Until enough people approve it, nothing changes.',
    'Other proposals may be waiting too: you get at most one of these e-mails an hour.',
  ]);
}

/** Tells an owner or admin that an owner changed secrets without the approvals that the environment requires. */
export async function bypassMail(
  { organization, project, env }: Place,
  { who, reason, keyCount }: { who: string; reason: string; keyCount: number },
): Promise<Mail> {
  const count = keyCount === 1 ? 'one secret' : `${keyCount} secrets`;
  return composeMail('Secrets were changed without approval', [
    `${unlinked(who)}, an owner of ${unlinked(organization.name)}, changed ${count} of ${project}/${env} without the ` +
      `approvals that the environment requires. The reason given: “${unlinked(reason)}”`,
    { label: 'Open the audit log', url: await dashboardPage(`/organizations/${organization.slug}/audit`) },
    'If nobody expected this, review the change and ask that owner to check their account.',
  ]);
}
