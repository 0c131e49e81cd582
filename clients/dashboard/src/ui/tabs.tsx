import type { ComponentChildren } from 'preact';
import { pathname } from '../router.ts';
import './tabs.css';

/** A tab is also current on its subpages, except the first one, whose path is a prefix of all others. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly (readonly [string, ComponentChildren])[] }) {
  const path = pathname();
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([href, text], index) => (
        <a
          key={href}
          href={href}
          aria-current={path === href || (index > 0 && path.startsWith(`${href}/`)) ? 'page' : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}
