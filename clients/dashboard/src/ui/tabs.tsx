import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { pathname } from '../router.ts';
import './tabs.css';

/** A tab is also current on its subpages that have no tab of their own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly (readonly [string, ComponentChildren])[] }) {
  const bar = useRef<HTMLElement>(null);
  const path = pathname();
  const [current] = tabs
    .map(([href]) => href)
    .filter(href => path === href || path.startsWith(`${href}/`))
    .toSorted((a, b) => b.length - a.length);
  useLayoutEffect(() => {
    // On a narrow page the tabs scroll sideways.
    const tab = bar.current?.querySelector<HTMLElement>('[aria-current]');
    if (bar.current && tab) bar.current.scrollLeft = tab.offsetLeft - (bar.current.clientWidth - tab.offsetWidth) / 2;
  }, [current]);
  return (
    <nav ref={bar} class="tabs" aria-label={label}>
      {tabs.map(([href, text]) => (
        <a key={href} href={href} aria-current={href === current ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
