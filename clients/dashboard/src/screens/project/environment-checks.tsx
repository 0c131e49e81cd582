import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { Answer } from '../../api.ts';
import { count } from '../../ui/count.ts';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import '../../ui/figures.css';
import '../../ui/journal.css';
import './project.css';

type Check = Answer<'GET /v1/templates/{orgSlug}/{project}/validate/{env}'>;

/** The keys in which each environment differs from the template. The checks are in the order of the environments. */
export function EnvironmentChecks({
  environments,
  checks,
}: {
  environments: readonly Environment[];
  checks: readonly Check[];
}) {
  return (
    <ul class="verdicts">
      {environments.map((environment, index) => {
        const check = checks[index];
        return (
          check && (
            <li key={environment.id} class={`railed ${environment.type}`}>
              <EnvironmentCheck environment={environment} check={check} />
            </li>
          )
        );
      })}
    </ul>
  );
}

function EnvironmentCheck({ environment, check }: { environment: Environment; check: Check }) {
  const { valid, missing, invalid, undeclared } = check;
  return (
    <>
      <p class="figure">
        <EnvironmentMark type={environment.type} name={environment.slug} />
        {valid ? <span class="good">✓ matches the template</span> : <span class="bad">× {summaryOf(check)}</span>}
      </p>
      {missing.length > 0 && (
        <p>
          <span class="quiet">missing</span> <span class="mono keys">{missing.join('  ')}</span>
        </p>
      )}
      {invalid.map(({ key, reason }) => (
        <p key={key}>
          <span class="mono key">{key}</span> {reason}
        </p>
      ))}
      {undeclared !== null && undeclared.length > 0 && (
        <p class="quiet">{count(undeclared.length, 'key')} not in the template</p>
      )}
    </>
  );
}

function summaryOf({ missing, invalid }: Check): string {
  const parts = [
    ...(missing.length > 0 ? [`${count(missing.length, 'key')} missing`] : []),
    ...(invalid.length > 0 ? [`${count(invalid.length, 'value')} not matching the pattern`] : []),
  ];
  return parts.join(', ');
}
