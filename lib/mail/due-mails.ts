import type { Due } from '../contracts/projects/due.ts';
import { composeMail, dashboardPage, type Mail, unlinked } from './compose-mail.ts';

/** More would make the mail too long to read. */
const listedValues = 50;

interface DueValueInMail extends Pick<Due, 'project' | 'environment' | 'key' | 'dueAt'> {
  /** Negative if it is overdue. */
  days: number;
}

function dueSentence({ project, environment, key, dueAt, days }: DueValueInMail): string {
  const when = days > 1 ? `in ${days} days` : days === 1 ? 'tomorrow' : days === 0 ? 'today' : 'overdue';
  return `${unlinked(key)} in ${project}/${environment}: ${when} (${dueAt.slice(0, '2026-01-31'.length)})`;
}

/** Tells the owner of keys, or the admins if a key has no owner, which values have to be renewed. */
export async function dueMail(
  { name, slug }: { name: string; slug: string },
  values: readonly DueValueInMail[],
): Promise<Mail> {
  const count = values.length === 1 ? 'One secret has' : `${values.length} secrets have`;
  const more = values.length - listedValues;
  return composeMail('Secrets have to be renewed', [
    `${count} to be renewed in ${unlinked(name)}:`,
    ...values.slice(0, listedValues).map(dueSentence),
    ...(more > 0 ? [`… and ${more} more.`] : []),
    { label: 'Open the organization', url: await dashboardPage(`/organizations/${slug}`) },
    'You get this e-mail because you own these keys, or because you are an admin and the keys have no owner. A value is ' +
      'announced 14 days and 3 days before it is due, and on the day.',
  ]);
}
