import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useEffect, useState } from 'preact/hooks';
import { may, whoMay } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EnvironmentMark } from '../ui/environment-mark.tsx';
import { roleMay } from '../ui/environment-rights.ts';
import { exposurePath } from '../ui/leaked.tsx';
import { Problem } from '../ui/problem.tsx';
import { Time } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { Catalogue } from './catalogue.tsx';
import { Edit } from './edit.tsx';
import { Elsewhere } from './elsewhere.tsx';
import { History } from './history.tsx';
import type { Place } from './place.ts';
import { hide, type ReadValue } from './reveal.ts';
import type { StagedValue, Staging } from './staging.ts';
import { useSameUser } from './use-same-user.ts';
import { type Editable, useValue } from './use-value.ts';
import './panel.css';

export interface SecretPanelProps {
  place: Place;
  environment: Environment;
  /** All environments of the project. */
  environments: readonly Environment[];
  role: Role;
  /** The key; without it, the panel adds one. */
  name?: string | undefined;
  /** Whether it reads the value at once, or starts with an empty field for a new one. */
  start?: 'revealed' | 'editing' | undefined;
  staging: Staging;
  onClose: () => void;
  /** The template describes the key in another way now. */
  onDescribed: () => Promise<void>;
}

/**
 * One secret of an environment: its value on request, its history and its place in other environments, and a field for a
 * new value. Changes are only staged.
 */
export function SecretPanel(props: SecretPanelProps) {
  const { environment, staging, onClose, start } = props;
  const isSameUser = useSameUser(onClose);
  const [name, setName] = useState(props.name);
  const isNew = name === undefined;
  /** What the field for a new value starts with; undefined while there is no field. */
  const [from, setFrom] = useState<Editable | undefined>(
    isNew || start === 'editing' ? emptyFor(name, staging) : undefined,
  );
  const [added, setAdded] = useState(0);
  const value = useValue(props.place, environment.id);
  useEffect(() => {
    if (start === 'revealed' && name !== undefined) value.toggle(name);
    return hide;
  }, []);
  if (!isSameUser) return null;
  const onStage = (staged: StagedValue, another: boolean) => {
    staging.set([staged]);
    if (!another) return onClose();
    hide();
    showToast(`Staged ${staged.key}.`);
    setName(undefined);
    setFrom(emptyFor(undefined, staging));
    setAdded(added + 1);
  };
  const title = (
    <>
      {isNew ? 'Add a secret' : <span class="mono key">{name}</span>}
      <span class="in">
        <EnvironmentMark type={environment.type} name={environment.slug} />
      </span>
    </>
  );
  return (
    <Dialog title={title} size="panel" onClose={onClose}>
      {from !== undefined && (
        <Edit
          key={added}
          name={name}
          from={from}
          exists={key => staging.find(key) !== undefined}
          willHave={staging.willHave}
          onStage={onStage}
          onCancel={isNew || start === 'editing' ? onClose : () => setFrom(undefined)}
        />
      )}
      {name !== undefined && (
        <>
          {from === undefined && <Value {...props} name={name} value={value} onEdit={setFrom} />}
          <About {...props} name={name} />
        </>
      )}
    </Dialog>
  );
}

type OfKey = SecretPanelProps & { name: string };

/** What a new value starts with: like the present one, it may name other keys or not. */
function emptyFor(name: string | undefined, staging: Staging): Editable {
  const change = name === undefined ? undefined : staging.staged?.changes.get(name);
  const present = name === undefined ? undefined : staging.find(name);
  return { text: '', expand: (change?.kind === 'set' ? change.expand : present?.expand) ?? false };
}

/** The value, hidden until the user reveals it, and what can be done with it. */
function Value({
  environment,
  role,
  name,
  staging,
  value,
  onEdit,
}: OfKey & { value: ReturnType<typeof useValue>; onEdit: (from: Editable) => void }) {
  const entry = staging.find(name);
  const change = staging.staged?.changes.get(name);
  const shown = value.shown?.key === name ? value.shown : undefined;
  const isReadable = entry !== undefined && roleMay('read', role, environment.type);
  const isWritable = roleMay('write', role, environment.type);
  return (
    <>
      {shown === undefined && (
        <p class="mask">
          <span aria-hidden="true">••••••••</span>
          <span class="visually-hidden">The value is hidden.</span>
        </p>
      )}
      <Problem error={value.error} />
      {isReadable && (
        <div class="actions">
          <Button busy={value.busy} onClick={() => value.toggle(name)}>
            {shown === undefined ? 'Reveal' : 'Hide'}
          </Button>
          <Button busy={value.busy} onClick={() => value.copy(name)}>
            Copy
          </Button>
          <span class="quiet">
            {shown === undefined
              ? 'The audit log records who reads a value.'
              : 'The value is hidden again after 30 seconds.'}
          </span>
        </div>
      )}
      {change !== undefined && (
        <p class="notice">
          {change.kind === 'delete' ? 'It is staged to be deleted.' : 'A new value is staged.'}{' '}
          <button type="button" class="link" onClick={() => staging.unstage(name)}>
            Undo
          </button>
        </p>
      )}
      {isWritable ? (
        <div class="actions">
          {change?.kind === 'set' ? (
            <Button onClick={() => onEdit({ text: change.value, expand: change.expand ?? false })}>
              Edit the staged value
            </Button>
          ) : (
            isReadable && (
              <Button busy={value.busy} onClick={() => value.take(name, onEdit)}>
                Edit the value
              </Button>
            )
          )}
          <Button onClick={() => onEdit(emptyFor(name, staging))}>New value</Button>
          {entry !== undefined && change?.kind !== 'delete' && (
            <Button kind="danger" onClick={() => staging.remove([name])}>
              Delete
            </Button>
          )}
        </div>
      ) : (
        <p class="hint">
          As a {role}, you can’t change {environment.slug}.
        </p>
      )}
      {/* Below the buttons, which a long value would push out of sight. */}
      {shown !== undefined && <Shown {...shown} />}
    </>
  );
}

/** A value and, if it names other keys, how it was set. */
function Shown({ value, raw }: ReadValue) {
  const text = (of: string) => <pre class="mono value">{of === '' ? <i>empty</i> : of}</pre>;
  if (raw === undefined) return text(value);
  return (
    <dl class="both">
      <dt>What programs get</dt>
      <dd>{text(value)}</dd>
      <dt>As it was set</dt>
      <dd>{text(raw)}</dd>
    </dl>
  );
}

/** Who set the secret, what the template says about it, which environments have it, and its history. */
function About({ place, environment, environments, role, name, staging, onDescribed }: OfKey) {
  const entry = staging.find(name);
  return (
    <>
      {entry !== undefined && (
        <p class="quiet">
          Version {entry.version}, set by {entry.updatedBy.email}, <Time at={entry.updatedAt} />.{' '}
          {may('get-exposure', role) ? (
            <a href={exposurePath(place.orgSlug, { environment: environment.id, key: name })}>Who knows this value?</a>
          ) : (
            whoMay('get-exposure', 'see who knows a value')
          )}
          {entry.expand && ' Its value names other keys.'}
        </p>
      )}
      <Catalogue {...{ place, environment, environments, role, name, onDescribed }} writtenAt={entry?.updatedAt} />
      <Elsewhere {...{ place, environments, role, name }} />
      {entry !== undefined && (
        <section>
          <h3>History</h3>
          <History {...{ place, role, name }} />
        </section>
      )}
    </>
  );
}
