import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { ComponentChildren } from 'preact';
import { leakedPath } from './leaked.tsx';
import { Tabs } from './tabs.tsx';
import { WaitingRecovery } from './waiting-recovery.tsx';

export interface OrganizationProps {
  organization: OwnOrganization;
  parameters: Record<string, string>;
}

export function InOrganization({
  organization,
  children,
}: {
  organization: OwnOrganization;
  children: ComponentChildren;
}) {
  const base = `/organizations/${organization.slug}`;
  return (
    <>
      <Tabs
        label={organization.name}
        tabs={[[base, 'Projects'], ...(organization.limited ? [] : tabsBelow(base, organization.slug))]}
      />
      <WaitingRecovery organization={organization} />
      {children}
    </>
  );
}

/** A limited member sees nothing of the organization but its projects. */
function tabsBelow(base: string, slug: string): (readonly [string, string])[] {
  return [
    [`${base}/members`, 'Members'],
    [`${base}/webhooks`, 'Webhooks'],
    [`${base}/identities`, 'Identities'],
    [`${base}/audit`, 'Audit'],
    [leakedPath(slug), 'Something leaked?'],
    [`${base}/billing`, 'Usage'],
    [`${base}/settings`, 'Settings'],
  ];
}
