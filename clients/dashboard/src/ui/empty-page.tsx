import type { ComponentChildren } from 'preact';
import { Empty } from './empty.tsx';
import { Page } from './page.tsx';

/** A page with nothing to show, and the reason. */
export function EmptyPage({ title, heading, reason }: { title: string; heading?: ComponentChildren; reason: string }) {
  return (
    <Page title={title} heading={heading}>
      <Empty title={reason} />
    </Page>
  );
}
