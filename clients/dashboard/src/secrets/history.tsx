import type { Role } from '@holdfast/contracts/fields/role.ts';
import { useState } from 'preact/hooks';
import { type Answer, call } from '../api.ts';
import { may } from '../session.ts';
import { Await } from '../ui/await.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { count } from '../ui/count.ts';
import { Time } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Place } from './place.ts';
import { ShowValues, useValues } from './shown.tsx';
import '../ui/journal.css';
import './secrets.css';

type Version = Answer<'GET /v1/secrets/{orgSlug}/{project}/{env}/versions/{key}'>['versions'][number];

interface HistoryProps {
  place: Place;
  name: string;
  role: Role;
}

/** What to destroy: one version, or all versions before the current one. */
type Destruction = { versions: number[] } | { before: number };

/** Every version of a key. Values are loaded only on request, with an audited read. */
export function History({ place, name, role }: HistoryProps) {
  const params = { ...place, key: name };
  const [destroying, setDestroying] = useState<Destruction>();
  const versions = useValues(name, async (values, signal) => {
    const answer = await call('GET /v1/secrets/{orgSlug}/{project}/{env}/versions/{key}', {
      params,
      query: { values },
      signal,
    });
    return answer.versions;
  });
  const [current] = versions.of.data ?? [];
  const old = may('destroy-versions', role) ? oldValues(versions.of.data ?? []) : [];
  const destroy = async (which: Destruction) => {
    const { destroyed } = await call('POST /v1/secrets/{orgSlug}/{project}/{env}/versions/{key}/destroy', {
      params,
      body: which,
    });
    versions.show(false);
    await versions.of.reload();
    showToast(`${count(destroyed.length, 'old value')} of ${name} destroyed.`);
  };
  return (
    <>
      <Await of={versions.of}>
        {found => (
          <ol class="journal">
            {found.map(entry => (
              <VersionEntry
                key={entry.version}
                entry={entry}
                onDestroy={old.includes(entry) ? () => setDestroying({ versions: [entry.version] }) : undefined}
              />
            ))}
          </ol>
        )}
      </Await>
      <ShowValues of={versions} />
      {old.length > 1 && current !== undefined && (
        <div class="actions">
          <Button kind="danger" onClick={() => setDestroying({ before: current.version })}>
            Destroy all {old.length.toLocaleString('en')} old values …
          </Button>
        </div>
      )}
      {destroying !== undefined && (
        <ConfirmDestruction
          of={name}
          title={titleOf(destroying, old.length)}
          onConfirm={() => destroy(destroying)}
          onClose={() => setDestroying(undefined)}
        />
      )}
    </>
  );
}

/** What can be destroyed. The current value can't be destroyed, only changed or deleted. */
function oldValues([, ...older]: readonly Version[]): Version[] {
  return older.filter(({ deleted, destroyed }) => !deleted && !destroyed);
}

function titleOf(destruction: Destruction, old: number): string {
  return 'before' in destruction
    ? `Destroy ${count(old, 'old value')}`
    : `Destroy version ${destruction.versions.join(', ')}`;
}

function VersionEntry({ entry, onDestroy }: { entry: Version; onDestroy: (() => void) | undefined }) {
  const { version, deleted, destroyed, value, expand, revision, createdBy, createdAt } = entry;
  return (
    <li>
      <p class="when mono">{version}</p>
      <div>
        <p>
          {deleted ? 'Deleted' : version === 1 ? 'Set' : 'Set again'} by {createdBy.email}, <Time at={createdAt} />{' '}
          <span class="quiet">revision {revision}</span>
        </p>
        {expand && <p class="quiet">Names other keys. The history keeps it as it was set.</p>}
        {destroyed && <p class="quiet">Its value was destroyed.</p>}
        {value !== undefined && <pre class="mono value">{value}</pre>}
        {onDestroy !== undefined && (
          <div class="actions">
            <Button kind="quiet" label={`Destroy version ${version}`} onClick={onDestroy}>
              Destroy …
            </Button>
          </div>
        )}
      </div>
    </li>
  );
}

interface ConfirmDestructionProps {
  of: string;
  title: string;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

function ConfirmDestruction({ of: name, title, onConfirm, onClose }: ConfirmDestructionProps) {
  return (
    <Confirm title={title} action="Destroy for good" word={name} onClose={onClose} onConfirm={onConfirm}>
      <p>
        Use this for a value that must no longer exist anywhere. The history still shows who set it and when. Revisions
        that need it can no longer be read or restored in full. This can’t be undone.
      </p>
    </Confirm>
  );
}
