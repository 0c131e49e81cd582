interface RenewLinkProps {
  to: string;
  /** Says what it leads to where only its host is shown. */
  of?: string;
}

/** Where a new value is made: another site, which learns nothing about this page. */
export function RenewLink({ to, of: key }: RenewLinkProps) {
  return (
    <a class="mono" href={to} target="_blank" rel="noopener noreferrer" title={to}>
      {key === undefined ? to : URL.parse(to)?.host}
      <span class="visually-hidden">{key === undefined ? '' : `: renew ${key}`} (opens in a new tab)</span>
    </a>
  );
}
