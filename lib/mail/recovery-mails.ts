import { recoveryEndsAfterDays, recoveryWaitHours } from '../contracts/fields/recovery.ts';
import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { composeMail, type Mail, unlinked } from './compose-mail.ts';

interface RecoveryFacts {
  state: 'waiting' | 'completed' | 'stopped';
  newOwner: { email: string };
  startedBy: { email: string };
  reason: string;
}

/** Tells somebody in an organization that operators are giving it another owner, or that this has ended. */
export async function recoveryMail(
  { name, slug }: { name: string; slug: string },
  { state, newOwner, startedBy, reason }: RecoveryFacts,
  stopUrl: string | undefined,
): Promise<Mail> {
  const [organization, person] = [unlinked(name), unlinked(newOwner.email)];
  const log = {
    label: 'Open the audit log',
    url: new URL(`/organizations/${slug}/audit`, await dashboardOrigin()).href,
  };
  if (state === 'completed') {
    return composeMail('Your organization has another owner', [
      `${person} is now an owner of ${organization}: the operators of this service completed its recovery.`,
      log,
      'If nobody expected this, an owner or administrator of the organization should contact the operators immediately.',
    ]);
  }
  if (state === 'stopped') {
    return composeMail('Your organization gets no other owner', [
      `The recovery of ${organization}, by which ${person} would have become an owner, was stopped. Nothing has changed.`,
      log,
    ]);
  }
  return composeMail('Your organization may get another owner', [
    `The operators of this service were told that no owner of ${organization} can log in any more. They are about to ` +
      `make ${person} an owner. ${unlinked(startedBy.email)}, who started this, gave the reason: “${unlinked(reason)}”`,
    `It happens ${recoveryWaitHours} hours from now at the earliest, unless somebody stops it. If it is wrong, or if you ` +
      'are an owner and can still log in, stop it:',
    ...(stopUrl === undefined ? [] : [{ label: 'Review and stop it', url: stopUrl }]),
    `The link works for ${recoveryEndsAfterDays} days. An owner who logs in can stop it too. If it is right, no action ` +
      'is needed.',
  ]);
}
