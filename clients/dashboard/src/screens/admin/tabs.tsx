import type { ComponentChildren } from 'preact';
import { user } from '../../session.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';

/** The administrators' pages; anyone else sees a notice, and no request is sent. */
export function OfPlatform({ children }: { children: () => ComponentChildren }) {
  if (!user.value?.isAdmin)
    return (
      <Page title="Platform">
        <Empty title="Only the platform’s administrators can see this." />
      </Page>
    );
  return (
    <>
      <Tabs
        label="Platform"
        tabs={[
          ['/admin', 'Overview'],
          ['/admin/organizations', 'Organizations'],
          ['/admin/plans', 'Plans'],
        ]}
      />
      {children()}
    </>
  );
}
