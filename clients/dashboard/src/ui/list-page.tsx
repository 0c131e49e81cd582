import type { ComponentChildren } from 'preact';
import type { Loaded } from '../load.ts';
import { addressFlag } from '../router.ts';
import { Await } from './await.tsx';
import { Button } from './button.tsx';
import { Page } from './page.tsx';
import { type Column, Table } from './table.tsx';

interface ListPageProps<Data, Row> {
  title: string;
  heading: string;
  lead: string;
  loaded: Loaded<Data>;
  rowsOf: (data: Data) => readonly Row[];
  columns: (data: Data) => readonly Column<Row>[];
  /** Shown if there are no rows; explains what they are for. */
  empty: ComponentChildren;
  /** The label of the button for a new row. */
  add: string;
  /** The page or the dialog for a new row. */
  to: string | ((data: Data, onClose: () => void) => ComponentChildren);
  children?: ComponentChildren;
}

/** A page with one list, and a page or a dialog that adds to it. The list is reloaded when the dialog closes. */
export function ListPage<Data, Row extends { id: string }>(props: ListPageProps<Data, Row>) {
  const { title, heading, lead, loaded, rowsOf, columns, empty, add, to, children } = props;
  const [adding, setAdding] = addressFlag('new');
  const onClose = () => {
    setAdding(false);
    void loaded.reload();
  };
  return (
    <Page
      title={title}
      heading={heading}
      lead={lead}
      actions={
        typeof to === 'string' ? (
          <a class="button primary" href={to}>
            {add}
          </a>
        ) : (
          <Button kind="primary" onClick={() => setAdding(true)}>
            {add}
          </Button>
        )
      }
    >
      <Await of={loaded}>
        {data => (
          <>
            {rowsOf(data).length === 0 ? (
              empty
            ) : (
              <Table caption={heading} rows={rowsOf(data)} keyOf={({ id }) => id} columns={columns(data)} />
            )}
            {adding && typeof to === 'function' && to(data, onClose)}
          </>
        )}
      </Await>
      {children}
    </Page>
  );
}
