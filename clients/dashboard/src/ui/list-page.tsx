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
  /** The label of the button that opens the dialog for a new row. */
  add: string;
  dialog: (data: Data, onClose: () => void) => ComponentChildren;
  children?: ComponentChildren;
}

/** A page with one list and a dialog that adds to it. The list is reloaded when the dialog closes. */
export function ListPage<Data, Row extends { id: string }>(props: ListPageProps<Data, Row>) {
  const { title, heading, lead, loaded, rowsOf, columns, empty, add, dialog, children } = props;
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
        <Button kind="primary" onClick={() => setAdding(true)}>
          {add}
        </Button>
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
            {adding && dialog(data, onClose)}
          </>
        )}
      </Await>
      {children}
    </Page>
  );
}
