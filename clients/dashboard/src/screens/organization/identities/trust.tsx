import type { Identity } from '@holdfast/contracts/identities/identities.ts';

/** The issuer and claims that an identity accepts. */
export function Trust({ identity: { issuer, claims } }: { identity: Identity }) {
  const required = Object.entries(claims).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <div>
      <span class="mono">{issuer}</span>
      {required.map(([name, value]) => (
        <div key={name} class="mono quiet">
          {name} = {[value].flat().join(' or ')}
        </div>
      ))}
    </div>
  );
}
