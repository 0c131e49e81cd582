import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { ComponentChildren } from 'preact';
import { mayAnywhere, whoMay } from '../session.ts';
import { Empty } from './empty.tsx';
import { Page } from './page.tsx';

interface ForRolesProps {
  organization: OwnOrganization;
  /** The operation that loads the screen. */
  operation: string;
  heading: string;
  /** What the screen is for, after “Only owners can …”. */
  doing: string;
  children: ComponentChildren;
}

/** A screen for some roles, and for a project's admins if they may do it there. Others see a notice, and no request is sent. */
export function ForRoles({ organization, operation, heading, doing, children }: ForRolesProps) {
  if (mayAnywhere(operation, organization)) return <>{children}</>;
  return (
    <Page title={`${heading} · ${organization.name}`} heading={heading}>
      <Empty title={whoMay(operation, doing)} />
    </Page>
  );
}
