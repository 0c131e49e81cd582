import { useRef } from 'preact/hooks';
import { searchParameters } from '../router.ts';
import { Await } from '../ui/await.tsx';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/count.ts';
import { openOverPage } from '../ui/single-keys.ts';
import type { Row, RowAction } from './row.tsx';
import { SecretsTable } from './table.tsx';
import type { Rows } from './use-rows.ts';
import type { Secrets } from './use-secrets.ts';

interface ListProps {
  secrets: Secrets;
  rows: Rows;
  writable: boolean;
  onAction: (action: RowAction, row: Row) => void;
}

/** The keys of an environment, with a filter. */
export function SecretList({ secrets, rows, writable, onAction }: ListProps) {
  const field = useRef<HTMLInputElement>(null);
  const { all, shown, filter, setFilter, problem } = rows;
  const linked = searchParameters().get('key') ?? undefined;
  const clear = () => {
    setFilter('');
    field.current?.focus();
  };
  return (
    <Await of={secrets.keys} rows={8}>
      {() => (
        <div>
          {linked !== undefined && !all.some(({ key }) => key === linked) && (
            <p class="notice">
              There is no secret <span class="mono">{linked}</span> here any more.
            </p>
          )}
          <div class="filters sticky">
            <div class="field">
              <label for="filter">Filter</label>
              <input
                id="filter"
                ref={field}
                type="search"
                class="mono"
                autocomplete="off"
                spellcheck={false}
                placeholder="tag:payments owner:me due:30d"
                value={filter}
                onInput={event => setFilter(event.currentTarget.value)}
                onPaste={event => {
                  const lines = event.clipboardData?.getData('text/plain') ?? '';
                  if (!/[\r\n]/.test(lines.trim())) return;
                  // An input joins pasted lines. Each line is a word of the filter.
                  event.preventDefault();
                  setFilter(lines.trim().replace(/\s+/g, ' '));
                }}
              />
            </div>
            <p class="quiet" aria-live="polite">
              {filter === '' ? '' : `${shown.length.toLocaleString('en')} of `}
              {count(all.length, 'key')}
            </p>
            <div class="shortcuts">
              <Button kind="quiet" onClick={() => openOverPage('shortcuts')}>
                Keyboard <kbd>?</kbd>
              </Button>
            </div>
          </div>
          {shown.length === 0 ? (
            <p>
              {problem ?? (
                <>
                  No key {filter.includes(':') ? 'fits' : 'contains'} ‘<span class="mono">{filter}</span>’.
                </>
              )}{' '}
              <button type="button" class="link" onClick={clear}>
                Clear
              </button>
            </p>
          ) : (
            <SecretsTable rows={rows} writable={writable} wanted={linked} onAction={onAction} />
          )}
        </div>
      )}
    </Await>
  );
}
