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
  setAt,
}: {
  environments: readonly Environment[];
  checks: readonly Check[];
  /** Where a missing key is set; undefined if the user can't write to the environment. */
  setAt: (environment: Environment, key: string) => string | undefined;
}) {
  return (
    <ul class="verdicts">
      {environments.map((environment, index) => {
        const check = checks[index];
        return (
          check && (
            <li key={environment.id} class={`railed ${environment.type}`}>
              <EnvironmentCheck environment={environment} check={check} setAt={key => setAt(environment, key)} />
            </li>
          )
        );
      })}
    </ul>
  );
}

interface EnvironmentCheckProps {
  environment: Environment;
  check: Check;
  setAt: (key: string) => string | undefined;
}

function EnvironmentCheck({ environment, check, setAt }: EnvironmentCheckProps) {
  const { valid, missing, invalid, undeclared } = check;
  return (
    <>
      <p class="figure">
        <EnvironmentMark type={environment.type} name={environment.slug} />
        {valid ? <span class="good">✓ matches the template</span> : <span class="bad">× {summaryOf(check)}</span>}
      </p>
      {missing.length > 0 && (
        <p>
          <span class="quiet">missing</span>{' '}
          {missing.map(key => (
            <MissingKey key={key} name={key} within={environment.slug} address={setAt(key)} />
          ))}
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

function MissingKey({ name, within, address }: { name: string; within: string; address: string | undefined }) {
  return (
    <span class="missing-key">
      <span class="mono key">{name}</span>{' '}
      {address !== undefined && (
        <a href={address}>
          Set
          <span class="visually-hidden">
            {' '}
            {name} in {within}
          </span>
        </a>
      )}
    </span>
  );
}

function summaryOf({ missing, invalid }: Check): string {
  const parts = [
    ...(missing.length > 0 ? [`${count(missing.length, 'key')} missing`] : []),
    ...(invalid.length > 0 ? [`${count(invalid.length, 'value')} not matching the pattern`] : []),
  ];
  return parts.join(', ');
}
