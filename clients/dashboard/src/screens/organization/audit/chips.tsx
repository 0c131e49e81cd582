import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';
import { Leaked } from '../../../ui/leaked.tsx';
import { timeInWords } from '../period.tsx';
import { type FilterName, type Filters, filtered, unfiltered } from './filters.ts';
import { actorName, environmentOf, type Names, projectOf, tokenName } from './names.ts';
import './audit.css';

interface ChipsProps {
  filters: Filters;
  entries: readonly AuditEntry[];
  names: Names;
  /** The organization's. */
  slug: string;
}

const labels: Readonly<Record<FilterName, string>> = {
  action: 'action',
  actor: 'by',
  tokenId: 'token',
  project: 'project',
  environment: 'environment',
  key: 'key',
  since: 'from',
  until: 'until',
};

/** The filters in use. Each can be removed, and a credential can be asked about. */
export function Chips({ filters, entries, names, slug }: ChipsProps) {
  const used = Object.entries(filters) as [FilterName, string][];
  if (used.length === 0) return null;
  const { actor, tokenId } = filters;
  const isIdentity =
    names.identities.some(({ id }) => id === actor) ||
    entries.some(entry => entry.actor.id === actor && entry.actor.type === 'identity');
  const inWords = (name: FilterName, value: string) => wordsFor(name, value, entries, names);
  return (
    <div class="chips">
      <ul aria-label="Filters in use">
        {used.map(([name, value]) => (
          <li key={name}>
            <a class="chip" href={filtered({ [name]: undefined })}>
              <span class="visually-hidden">Remove the filter: </span>
              <span class="quiet">{labels[name]}</span> <bdi class="mono">{inWords(name, value)}</bdi>{' '}
              <span aria-hidden="true">×</span>
            </a>
          </li>
        ))}
      </ul>
      {used.length > 1 && <a href={unfiltered()}>Remove all</a>}
      {tokenId !== undefined && (
        <Leaked slug={slug} type="token" id={tokenId} name={`the token ${inWords('tokenId', tokenId)}`} />
      )}
      {tokenId === undefined && actor !== undefined && (
        <Leaked slug={slug} type={isIdentity ? 'identity' : 'user'} id={actor} name={inWords('actor', actor)} />
      )}
    </div>
  );
}

/** What a filter's value is called: entries that it found name what they are about. */
function wordsFor(name: FilterName, value: string, entries: readonly AuditEntry[], names: Names): string {
  switch (name) {
    case 'actor': {
      const found = entries.find(({ actor }) => actor.id === value);
      const listed = names.members.find(({ userId }) => userId === value)?.email;
      return (
        (found && actorName(found.actor)) ?? listed ?? names.identities.find(({ id }) => id === value)?.name ?? value
      );
    }
    case 'tokenId': {
      const found = entries.find(({ actor }) => actor.tokenId === value);
      const listed = names.tokens.find(({ id }) => id === value);
      return (found && tokenName(found.actor)) ?? (listed === undefined ? value : `“${listed.name}”`);
    }
    case 'project': {
      const project = names.projects.find(({ id }) => id === value);
      return project?.slug ?? entries.map(projectOf).find(one => one?.id === value)?.slug ?? value;
    }
    case 'environment': {
      for (const { slug, environments } of names.projects) {
        const environment = environments.find(({ id }) => id === value);
        if (environment !== undefined) return `${slug}/${environment.slug}`;
      }
      return entries.map(environmentOf).find(one => one?.id === value)?.slug ?? value;
    }
    case 'since':
    case 'until':
      return timeInWords(value);
    default:
      return value;
  }
}
