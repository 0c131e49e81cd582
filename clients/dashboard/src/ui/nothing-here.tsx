import { slugPattern } from 'virtual:contracts';
import { Fragment } from 'preact';
import { closeNames } from './close-names.ts';
import { Empty } from './empty.tsx';
import { Page } from './page.tsx';

/** `project web-shop`, or `such project` for an address that has any other text than a slug there. Pure. */
export const named = (what: string, slug: string) =>
  new RegExp(slugPattern).test(slug) ? `${what} ${slug}` : `such ${what}`;

interface NothingHereProps {
  reason: string;
  /** The name in the address that does not exist, and those that do. */
  wrong?: string;
  names?: readonly string[];
  /** The address of one of the names. */
  pathOf?: (name: string) => string;
  back: readonly [label: string, href: string];
}

/** The page for an address that leads nowhere, with names that its author may have meant. */
export function NothingHere({ reason, wrong = '', names = [], pathOf = () => '/', back }: NothingHereProps) {
  const close = closeNames(wrong, names);
  const offered = close.length > 0 ? close : names.slice(0, 5);
  return (
    <Page title="Not found" heading="Nothing here">
      <Empty title={reason}>
        {offered.length > 0 && (
          <p>
            {close.length > 0 ? 'Did you mean ' : 'There is '}
            {offered.map((name, index) => (
              <Fragment key={name}>
                {index > 0 && ', '}
                <a class="mono" href={pathOf(name)}>
                  {name}
                </a>
              </Fragment>
            ))}
            {close.length > 0 ? '?' : '.'}
          </p>
        )}
        <p>
          <a href={back[1]}>{back[0]}</a>
        </p>
      </Empty>
    </Page>
  );
}
