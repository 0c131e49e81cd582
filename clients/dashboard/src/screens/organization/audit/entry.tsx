import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';
import type { AuditDetails } from '@holdfast/contracts/fields/audit-action.ts';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { clientName } from '../../../ui/client-name.ts';
import { Time } from '../../../ui/time.tsx';
import { FilterLink } from './filter-link.tsx';
import { tokenName } from './names.ts';
import { detailInWords, phraseOf } from './phrase.ts';
import { Sentence } from './sentence.tsx';

export function AuditEntryLine({ entry }: { entry: AuditEntry }) {
  const { action, actor, keys = [], keysOmitted = 0, message, ip, userAgent } = entry;
  const details = describe(phraseOf(entry).unsaid);
  return (
    <li>
      <p class="when">
        <Time at={entry.createdAt} />
      </p>
      <div>
        <p>
          <Sentence entry={entry} />
        </p>
        {keys.length + keysOmitted > 1 && <Keys keys={keys} omitted={keysOmitted} />}
        {message && <p class="message">“{message}”</p>}
        {details !== '' && <p class="quiet mono">{details}</p>}
        <p class="quiet small" title={userAgent}>
          {actor.tokenId !== undefined && (
            <>
              {'by the token '}
              <FilterLink name="tokenId" value={actor.tokenId}>
                {tokenName(actor)}
              </FilterLink>{' '}
            </>
          )}
          {ip && `from ${ip}`}
          {userAgent && ` with ${clientName(userAgent)}`}{' '}
          <span class="mono">
            <FilterLink name="action" value={action}>
              {action}
            </FilterLink>
          </span>
        </p>
      </div>
    </li>
  );
}

const shownKeys = 8;

/** The keys in an entry. The log truncates long lists. */
function Keys({ keys, omitted }: { keys: readonly string[]; omitted: number }) {
  const [open, setOpen] = useState(false);
  const more = keys.length - shownKeys + omitted;
  return (
    <p class="mono keys">
      {(open ? keys : keys.slice(0, shownKeys)).map((key, index) => (
        <Fragment key={key}>
          {index > 0 && '  '}
          <FilterLink name="key" value={key}>
            {key}
          </FilterLink>
        </Fragment>
      ))}
      {more > 0 && !open && (
        <button type="button" class="link" onClick={() => setOpen(true)}>
          and {more} more
        </button>
      )}
      {open && omitted > 0 && ` and ${omitted} more`}
    </p>
  );
}

function describe(details: AuditDetails): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${detailInWords(value)}`)
    .join(', ');
}
