import { useRef, useState } from 'preact/hooks';
import { searchParameters } from '../router.ts';
import { Await } from '../ui/await.tsx';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/count.ts';
import { Empty } from '../ui/empty.tsx';
import type { Row, RowAction } from './row.tsx';
import { SecretsTable } from './table.tsx';
import type { Secrets } from './use-secrets.ts';

interface ListProps {
  secrets: Secrets;
  writable: boolean;
  onAction: (action: RowAction, row: Row) => void;
  onHelp: () => void;
}

/** The keys of an environment, with a filter. */
export function SecretList({ secrets, writable, onAction, onHelp }: ListProps) {
  const [filter, setFilter] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const { keys, rows } = secrets;
  const linked = searchParameters().get('key') ?? undefined;
  const wanted = filter.toLowerCase();
  const found = wanted === '' ? rows : rows.filter(({ key }) => key.toLowerCase().includes(wanted));
  return (
    <Await of={keys} rows={8}>
      {() =>
        rows.length === 0 ? (
          <Empty title="No secrets yet.">
            {writable && (
              <p>Add one, or paste the lines of a .env file. Nothing changes until you review and apply it.</p>
            )}
          </Empty>
        ) : (
          <>
            <div class="filters">
              <div class="field">
                <label for="filter">Filter</label>
                <input
                  id="filter"
                  ref={field}
                  type="search"
                  class="mono"
                  autocomplete="off"
                  spellcheck={false}
                  value={filter}
                  onInput={event => setFilter(event.currentTarget.value)}
                />
              </div>
              <p class="quiet" aria-live="polite">
                {wanted === '' ? '' : `${found.length.toLocaleString('en')} of `}
                {count(rows.length, 'key')}
              </p>
              <div class="shortcuts">
                <Button kind="quiet" onClick={onHelp}>
                  Keyboard <kbd>?</kbd>
                </Button>
              </div>
            </div>
            {linked !== undefined && !rows.some(({ key }) => key === linked) && (
              <p class="notice">
                There is no secret <span class="mono">{linked}</span> here any more.
              </p>
            )}
            <SecretsTable
              rows={found}
              writable={writable}
              wanted={linked}
              onAction={onAction}
              onFilter={() => field.current?.focus()}
              onHelp={onHelp}
            />
          </>
        )
      }
    </Await>
  );
}
