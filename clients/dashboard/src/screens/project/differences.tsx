import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ComponentChildren } from 'preact';
import type { Answer } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/count.ts';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import '../../ui/figures.css';
import '../../ui/key-lines.css';
import './project.css';

interface DifferencesProps {
  a: Environment;
  b: Environment;
  found: Answer<'GET /v1/secrets/{orgSlug}/{project}/{env}/compare'>;
  isWritable: (environment: Environment) => boolean;
  onPromote: (promotion: KeysToPromote) => void;
}

export interface KeysToPromote {
  keys: readonly string[];
  from: string;
  to: string;
}

type Side = readonly [Environment, value: string | undefined];

/** How two environments differ. Keys with the same value in both are collapsed to a count. */
export function Differences({ a, b, found, isWritable, onPromote }: DifferencesProps) {
  const { from, to, onlyFrom, onlyTo, different, same } = found;
  const promote = (keys: readonly { key: string }[], source: Environment, target: Environment) =>
    isWritable(target) && (
      <Button onClick={() => onPromote({ keys: keys.map(({ key }) => key), from: source.slug, to: target.slug })}>
        Promote {keys.length === 1 ? 'this one' : `these ${keys.length.toLocaleString('en')}`} to {target.slug}
      </Button>
    );
  return (
    <>
      <p class="figure">
        <EnvironmentMark type={a.type} name={`${a.slug} at ${from.revision}`} />
        <EnvironmentMark type={b.type} name={`${b.slug} at ${to.revision}`} />
      </p>
      <Group title={`Only in ${a.slug}`} keys={onlyFrom} acts={promote(onlyFrom, a, b)}>
        {onlyFrom.map(({ key, from: value }) => (
          <Key key={key} name={key} sides={[[a, value]]} />
        ))}
      </Group>
      <Group title={`Only in ${b.slug}`} keys={onlyTo} acts={promote(onlyTo, b, a)}>
        {onlyTo.map(({ key, to: value }) => (
          <Key key={key} name={key} sides={[[b, value]]} />
        ))}
      </Group>
      <Group
        title="Different"
        keys={different}
        acts={
          <>
            {promote(different, a, b)}
            {promote(different, b, a)}
          </>
        }
      >
        {different.map(({ key, from: here, to: there }) => (
          <Key
            key={key}
            name={key}
            sides={[
              [a, here],
              [b, there],
            ]}
          />
        ))}
      </Group>
      <Group title="The same" keys={same} folded>
        {same.map(key => (
          <Key key={key} name={key} sides={[]} />
        ))}
      </Group>
    </>
  );
}

interface GroupProps {
  title: string;
  keys: readonly unknown[];
  folded?: boolean;
  acts?: ComponentChildren;
  children: ComponentChildren;
}

function Group({ title, keys, folded = false, acts, children }: GroupProps) {
  if (keys.length === 0) return null;
  const list = <ul class="keys-list">{children}</ul>;
  return (
    <section>
      <h2>
        {title} <span class="quiet">{count(keys.length, 'key')}</span>
      </h2>
      {acts !== undefined && <div class="actions">{acts}</div>}
      {folded ? (
        <details>
          <summary>Show {keys.length === 1 ? 'it' : 'them'}</summary>
          {list}
        </details>
      ) : (
        list
      )}
    </section>
  );
}

/** A key, with its values in both environments if values are shown. */
function Key({ name, sides }: { name: string; sides: readonly Side[] }) {
  return (
    <li>
      <span class="mono key">{name}</span>
      {sides.some(([, value]) => value !== undefined) && (
        <dl class="sides">
          {sides.map(([environment, value]) => (
            <div key={environment.id}>
              <dt>
                <EnvironmentMark type={environment.type} name={environment.slug} />
              </dt>
              <dd class="mono">{value === '' ? <i>empty</i> : value}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}
