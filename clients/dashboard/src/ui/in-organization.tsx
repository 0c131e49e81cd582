import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { ComponentChildren } from 'preact';
import { Tabs } from './tabs.tsx';

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
        tabs={[
          [base, 'Projects'],
          [`${base}/members`, 'Members'],
          [`${base}/webhooks`, 'Webhooks'],
          [`${base}/identities`, 'Identities'],
          [`${base}/audit`, 'Audit'],
          [`${base}/billing`, 'Billing'],
          [`${base}/settings`, 'Settings'],
        ]}
      />
      {children}
    </>
  );
}
