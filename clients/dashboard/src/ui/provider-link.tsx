import type { ComponentChildren } from 'preact';

interface ProviderLinkProps {
  /** The organization whose provider it is. */
  slug: string;
  /** A path of this dashboard; without it, the page waits, and the provider opens in a tab of its own. */
  to?: string | undefined;
  /** Confirms who is signed in, or tries the provider out, instead of signing in. */
  only?: 'stepUp' | 'test';
  kind?: 'primary' | 'plain';
  children: ComponentChildren;
}

/** Where a provider returns to in a tab of its own. */
const elsewhere = '/signed-in';

/** This tab's page on the way to a provider: the service does not return to it if the sign-in is refused. */
const leftFor = 'holdfast-left-for';

/** Where this tab wanted to go when it last left for a provider. */
export function takeDestination(): string | undefined {
  const to = sessionStorage.getItem(leftFor) ?? undefined;
  sessionStorage.removeItem(leftFor);
  return to;
}

/**
 * Goes to an organization's provider. Leaving the page would lose what is staged or entered on it, so such a page stays
 * open and continues once the other tab is done.
 */
export function ProviderLink({ slug, to, only, kind = 'plain', children }: ProviderLinkProps) {
  const query = new URLSearchParams({ to: to ?? elsewhere, ...(only === undefined ? {} : { [only]: 'true' }) });
  return (
    <a
      class={`button ${kind}`}
      href={`/v1/auth/provider/${encodeURIComponent(slug)}/start?${query}`}
      target={to === undefined ? '_blank' : undefined}
      rel={to === undefined ? 'noopener' : undefined}
      onClick={() => to !== undefined && sessionStorage.setItem(leftFor, to)}
    >
      {children}
    </a>
  );
}
