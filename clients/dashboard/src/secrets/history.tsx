import { useState } from 'preact/hooks';
import type { Role } from '../../../../lib/contracts/fields/role.ts';
import { call } from '../api.ts';
import { may } from '../session.ts';
import { Await } from '../ui/await.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { count } from '../ui/count.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Time } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { ShowValues, useValues } from './shown.tsx';
import '../ui/journal.css';
import './history.css';

interface HistoryProps {
  place: { orgSlug: string; project: string; env: string };
  name: string;
  role: Role;
  onClose: () => void;
}

/** What to destroy: one version, or every older one than the current. */
type Destruction = { versions: number[] } | { before: number };

/** Every version of a key. Values come only when asked for, by a read that is audited. */
export function History({ place, name, role, onClose }: HistoryProps) {
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
  const mayDestroy = may('destroy-versions', role);
  const list = versions.of.data ?? [];
  const [current] = list;
  /** The current value is what the environment holds; it is changed or deleted, not destroyed. */
  const old = list.filter(({ version, deleted, destroyed }) => version !== current?.version && !deleted && !destroyed);
  return (
    <>
      <Dialog title={<span class="mono key">{name}</span>} size="sheet" onClose={onClose}>
        <Await of={versions.of}>
          {found => (
            <ol class="journal">
              {found.map(entry => (
                <li key={entry.version}>
                  <p class="when mono">{entry.version}</p>
                  <div>
                    <p>
                      {entry.deleted ? 'Deleted' : entry.version === 1 ? 'Set' : 'Set again'} by {entry.createdBy.email}
                      , <Time at={entry.createdAt} /> <span class="quiet">revision {entry.revision}</span>
                    </p>
                    {entry.destroyed && <p class="quiet">Its value was destroyed.</p>}
                    {entry.value !== undefined && <pre class="mono value">{entry.value}</pre>}
                    {mayDestroy && old.includes(entry) && (
                      <div class="actions">
                        <Button
                          kind="quiet"
                          label={`Destroy version ${entry.version}`}
                          onClick={() => setDestroying({ versions: [entry.version] })}
                        >
                          Destroy …
                        </Button>
                      </div>
                    )}
                  </div>
                </li>
              ))}
            </ol>
          )}
        </Await>
        <ShowValues of={versions} />
        {mayDestroy && old.length > 1 && current !== undefined && (
          <div class="actions">
            <Button kind="danger" onClick={() => setDestroying({ before: current.version })}>
              Destroy all {old.length.toLocaleString('en')} old values …
            </Button>
          </div>
        )}
      </Dialog>
      {destroying !== undefined && (
        <Confirm
          title={
            'before' in destroying
              ? `Destroy ${count(old.length, 'old value')}`
              : `Destroy version ${destroying.versions}`
          }
          action="Destroy for good"
          word={name}
          onClose={() => setDestroying(undefined)}
          onConfirm={async () => {
            const { destroyed } = await call('POST /v1/secrets/{orgSlug}/{project}/{env}/versions/{key}/destroy', {
              params,
              body: destroying,
            });
            versions.show(false);
            await versions.of.reload();
            showToast(`${count(destroyed.length, 'old value')} of ${name} destroyed.`);
          }}
        >
          <p>
            Use this for a value that must no longer exist anywhere. The history keeps who set it and when. No revision
            that needs it can be read or restored whole again, and this can’t be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}
