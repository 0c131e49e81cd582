import { Checkbox } from './checkbox.tsx';
import { Dialog } from './dialog.tsx';
import { searchShortcut, setSingleKeys, singleKeys } from './single-keys.ts';
import './facts.css';

const everywhere = [
  [searchShortcut, 'find keys, projects, people, pages and commands'],
  ['/', 'filter the page'],
  ['?', 'this list'],
] as const;

const inTable = [
  ['↑ ↓', 'move between keys'],
  ['← →', 'move between environments, in the grid of a project'],
  ['Page Up, Page Down', 'move by a page'],
  ['Home, End', 'move to the first or the last'],
  ['Enter', 'open the secret'],
  ['r', 'reveal the value'],
  ['e', 'new value'],
  ['c', 'copy the value'],
  ['Space', 'select'],
  ['Shift ↑ ↓', 'select several'],
  ['Esc', 'select nothing'],
] as const;

export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <h3>On every page</h3>
      <List of={everywhere} />
      <h3>In a table of keys</h3>
      <List of={inTable} />
      <Checkbox label="Use / and ? as shortcuts" checked={singleKeys.value} onChange={setSingleKeys} />
    </Dialog>
  );
}

function List({ of }: { of: readonly (readonly [key: string, meaning: string])[] }) {
  return (
    <dl class="facts">
      {of.map(([key, meaning]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
