import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';
import { count } from '../../../ui/count.ts';
import { FilterLink } from './filter-link.tsx';
import { actorName, environmentOf, projectOf } from './names.ts';
import { phraseOf } from './phrase.ts';

/** An entry in words, such as “ada@example.com changed 3 secrets in web-shop / production”. */
export function Sentence({ entry }: { entry: AuditEntry }) {
  const { actor, target, revision } = entry;
  const { text } = phraseOf(entry);
  const isPlaceLeftOut = !text.includes('{place}') && (projectOf(entry) ?? environmentOf(entry)) !== undefined;
  const parts = `${text}${isPlaceLeftOut ? ' in {place}' : ''}`.split(/(\{\w+\})/);
  return (
    <>
      <Actor actor={actor} />{' '}
      {parts.map(part => {
        if (part === '{keys}') return <SecretsOf key={part} entry={entry} />;
        if (part === '{place}') return <Place key={part} entry={entry} />;
        return part === '{target}' ? <bdi key={part}>{target.name}</bdi> : part;
      })}
      {revision === undefined ? '' : ` at revision ${revision}`}
    </>
  );
}

function Actor({ actor }: { actor: AuditEntry['actor'] }) {
  if (actor.id === null) return <>{actorName(actor) ?? 'The service'}</>;
  return (
    <>
      {actor.type === 'identity' && 'The identity '}
      <FilterLink name="actor" value={actor.id}>
        {actorName(actor)}
      </FilterLink>
    </>
  );
}

function SecretsOf({ entry: { keys = [], keysOmitted = 0 } }: { entry: AuditEntry }) {
  const [key] = keys;
  const total = keys.length + keysOmitted;
  if (key === undefined || total !== 1) return <>{total === 0 ? 'all secrets' : count(total, 'secret')}</>;
  return (
    <span class="mono">
      <FilterLink name="key" value={key}>
        {key}
      </FilterLink>
    </span>
  );
}

function Place({ entry }: { entry: AuditEntry }) {
  const [project, environment] = [projectOf(entry), environmentOf(entry)];
  return (
    <>
      {project !== undefined && (
        <FilterLink name="project" value={project.id}>
          {project.slug}
        </FilterLink>
      )}
      {project !== undefined && environment !== undefined && ' / '}
      {environment !== undefined && (
        <FilterLink name="environment" value={environment.id}>
          {environment.slug}
        </FilterLink>
      )}
    </>
  );
}
