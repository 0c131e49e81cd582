import type { ComponentChildren } from 'preact';
import { pathname } from '../router.ts';
import './tabs.css';

/** A tab is current on the pages below it as well, but for the first one, below which all others are. */
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
