import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { ComponentChildren } from 'preact';
import { pagesFor } from './organization-pages.ts';
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
        tabs={pagesFor(organization).flatMap(({ name, path, within }) =>
          within ? [] : [[base + path, name] as const],
        )}
      />
      <WaitingRecovery organization={organization} />
      {children}
    </>
  );
}
