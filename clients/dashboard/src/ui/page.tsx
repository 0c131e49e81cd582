import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import './page.css';

interface PageProps {
  /** The tab's title. It never contains a secret value. */
  title: string;
  heading?: ComponentChildren;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Page({ title, heading, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
  return (
    <main>
      <header class="page-head">
        <div>
          <h1>{heading ?? title}</h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </main>
  );
}

export function Section({
  title,
  children,
  lead,
  danger,
}: {
  title: string;
  children: ComponentChildren;
  lead?: ComponentChildren;
  danger?: boolean;
}) {
  return (
    <section class={danger ? 'danger-zone' : undefined}>
      <h2>{title}</h2>
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
    </section>
  );
}
