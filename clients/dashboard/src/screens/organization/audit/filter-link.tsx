import type { ComponentChildren } from 'preact';
import { type FilterName, filtered } from './filters.ts';

interface FilterLinkProps {
  name: FilterName;
  value: string;
  children: ComponentChildren;
}

/** Something in an entry that narrows the log to the entries that have it too. */
export function FilterLink({ name, value, children }: FilterLinkProps) {
  return (
    <a class="narrow" title="Only such entries" href={filtered({ [name]: value })}>
      <bdi>{children}</bdi>
    </a>
  );
}
