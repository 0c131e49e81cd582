import './names-others.css';

/** Marks a value that names other keys. */
export function NamesOthers() {
  return (
    <span class="names mono" title="Its value names other keys.">
      <span aria-hidden="true">${'{…}'}</span>
      <span class="visually-hidden">names other keys</span>
    </span>
  );
}
