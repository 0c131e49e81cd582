import './proof.css';

/** The old and the new value of a key, as far as each is shown. */
export function ChangedValues({ before, after }: { before?: string | undefined; after?: string | undefined }) {
  if (before === undefined && after === undefined) return null;
  return (
    <span class="values mono">
      {before !== undefined && <del>{before === '' ? <i>empty</i> : before}</del>}
      {after !== undefined && <ins>{after === '' ? <i>empty</i> : after}</ins>}
    </span>
  );
}
