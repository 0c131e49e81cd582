import { environmentRules } from 'virtual:contracts';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { EnvironmentType } from '../../../../../lib/contracts/fields/environment-type.ts';
import type { Role } from '../../../../../lib/contracts/fields/role.ts';
import type { Environment } from '../../../../../lib/contracts/projects/environment.ts';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { Edit, Paste } from '../../secrets/edit.tsx';
import { History } from '../../secrets/history.tsx';
import { hide, readValue, reveal, revealed } from '../../secrets/reveal.ts';
import { Review } from '../../secrets/review.tsx';
import { stage, stageOf, unstage } from '../../secrets/staging.ts';
import { type Row, type RowAction, SecretsTable } from '../../secrets/table.tsx';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/count.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';
import '../../ui/facts.css';
import '../../ui/key-lines.css';
import './environment.css';

export function roleMay(action: 'read' | 'write', role: Role, type: EnvironmentType): boolean {
  return environmentRules[action][role].includes(type);
}

export function EnvironmentScreen(props: ProjectProps) {
  const environment = props.project.environments.find(({ slug }) => slug === props.parameters.env);
  if (environment === undefined)
    return (
      <Page title="Environment not found">
        <Empty title="This project has no such environment." />
      </Page>
    );
  return <Secrets key={environment.id} {...props} environment={environment} />;
}

type Open = { kind: 'edit'; key?: string } | { kind: 'paste' | 'review' | 'help' } | { kind: 'history'; key: string };

function Secrets({ organization, project, environment, reload }: ProjectProps & { environment: Environment }) {
  const place = { orgSlug: organization.slug, project: project.slug, env: environment.slug };
  const readable = roleMay('read', organization.role, environment.type);
  const writable = roleMay('write', organization.role, environment.type);
  const [open, setOpen] = useState<Open>();
  const [filter, setFilter] = useState('');
  const filterField = useRef<HTMLInputElement>(null);
  const keys = useLoad(environment.id, async signal =>
    readable ? await call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', { params: place, signal }) : undefined,
  );
  const staged = stageOf(environment.id).value;
  const revision = keys.data?.revision ?? environment.revision;
  const listed = keys.data?.keys;
  const rows = useMemo(() => {
    const byKey = new Map<string, Row>(listed?.map(entry => [entry.key, { key: entry.key, entry, staged: undefined }]));
    for (const [key, change] of staged?.changes ?? [])
      byKey.set(key, { key, entry: byKey.get(key)?.entry, staged: change });
    return [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }, [listed, staged]);
  const wanted = filter.toLowerCase();
  const shown = wanted === '' ? rows : rows.filter(({ key }) => key.toLowerCase().includes(wanted));
  const read = useAction(async (action: 'reveal' | 'copy', key: string) => {
    if (action === 'reveal') {
      await reveal(environment.id, place, key);
      return;
    }
    const known = revealed.value;
    const value =
      known?.environmentId === environment.id && known.key === key ? known.value : await readValue(place, key);
    await navigator.clipboard.writeText(value);
    showToast(`The value of ${key} is copied.`);
  });
  const baseOf = (key: string) => (readable ? (listed?.find(entry => entry.key === key)?.version ?? 0) : undefined);
  const set = (entries: readonly { key: string; value: string }[]) =>
    stage(
      environment.id,
      revision,
      entries.map(({ key, value }) => [key, { kind: 'set', value, base: baseOf(key) }]),
    );
  const onAction = (action: RowAction, { key, entry }: Row) => {
    if (action === 'reveal') {
      if (revealed.value?.key === key && revealed.value.environmentId === environment.id) hide();
      else void read.run('reveal', key);
    } else if (action === 'copy') void read.run('copy', key);
    else if (action === 'edit') setOpen({ kind: 'edit', key });
    else if (action === 'history') setOpen({ kind: 'history', key });
    else if (action === 'unstage' || entry === undefined) unstage(environment.id, key);
    else stage(environment.id, revision, [[key, { kind: 'delete', base: entry.version }]]);
  };
  const changed = async () => {
    hide();
    await Promise.all([keys.reload(), reload()]);
  };
  const base = `/organizations/${organization.slug}/projects/${project.slug}/environments/${environment.slug}`;
  const whyNot = writable ? undefined : `As a ${organization.role} you can’t change ${environment.slug}.`;
  return (
    <div class={`railed ${environment.type}`}>
      <Page
        title={`${environment.slug} · ${project.slug} · ${organization.name}`}
        heading={<EnvironmentMark type={environment.type} name={environment.name} />}
        lead={
          <>
            <span class="word mono">{environment.slug}</span>
            {environment.type === environment.slug ? '' : `${environment.type} · `}revision{' '}
            <span class="mono">{revision}</span>
            {readable && (
              <>
                {' · '}
                <a href={`${base}/revisions`}>History</a>
              </>
            )}
          </>
        }
        actions={
          <>
            <Button onClick={() => setOpen({ kind: 'paste' })} disabled={!writable}>
              Paste .env
            </Button>
            <Button kind="primary" onClick={() => setOpen({ kind: 'edit' })} whyNot={whyNot}>
              Add secret
            </Button>
          </>
        }
      >
        <Problem error={read.error} />
        {readable ? (
          <Await of={keys} rows={8}>
            {() => (
              <>
                {rows.length > 0 && (
                  <div class="filters">
                    <div class="field">
                      <label for="filter">Filter</label>
                      <input
                        id="filter"
                        ref={filterField}
                        type="search"
                        class="mono"
                        autocomplete="off"
                        spellcheck={false}
                        value={filter}
                        onInput={event => setFilter(event.currentTarget.value)}
                      />
                    </div>
                    <p class="quiet" aria-live="polite">
                      {wanted === ''
                        ? count(rows.length, 'key')
                        : `${shown.length.toLocaleString('en')} of ${count(rows.length, 'key')}`}
                    </p>
                    <div class="shortcuts">
                      <Button kind="quiet" onClick={() => setOpen({ kind: 'help' })}>
                        Keyboard <kbd>?</kbd>
                      </Button>
                    </div>
                  </div>
                )}
                {rows.length === 0 ? (
                  <Empty title="No secrets yet.">
                    {writable && (
                      <p>Add one, or paste the lines of a .env file. Nothing changes before you review it.</p>
                    )}
                  </Empty>
                ) : (
                  <SecretsTable
                    environmentId={environment.id}
                    rows={shown}
                    writable={writable}
                    onAction={onAction}
                    onFilter={() => filterField.current?.focus()}
                    onHelp={() => setOpen({ kind: 'help' })}
                  />
                )}
              </>
            )}
          </Await>
        ) : (
          <Blind
            environment={environment}
            role={organization.role}
            writable={writable}
            rows={rows}
            onAction={onAction}
          />
        )}
      </Page>
      {staged !== undefined && (
        <aside class="tray" aria-label="Staged changes">
          <p>
            <strong>{count(staged.changes.size, 'change')} staged</strong>{' '}
            <span class="quiet">on revision {staged.revision}</span>
          </p>
          <div class="actions">
            <Button
              kind="quiet"
              onClick={() => {
                stageOf(environment.id).value = undefined;
              }}
            >
              Discard
            </Button>
            <Button kind="primary" onClick={() => setOpen({ kind: 'review' })}>
              Review
            </Button>
          </div>
        </aside>
      )}
      {open?.kind === 'edit' && (
        <Edit
          name={open.key}
          exists={key => listed?.some(entry => entry.key === key) ?? false}
          onStage={(key, value) => set([{ key, value }])}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open?.kind === 'paste' && <Paste onStage={set} onClose={() => setOpen(undefined)} />}
      {open?.kind === 'history' && (
        <History place={place} name={open.key} role={organization.role} onClose={() => setOpen(undefined)} />
      )}
      {open?.kind === 'review' && (
        <Review
          place={place}
          environment={environment}
          role={organization.role}
          readable={readable}
          onClose={() => setOpen(undefined)}
          onApplied={changed}
        />
      )}
      {open?.kind === 'help' && <Keys onClose={() => setOpen(undefined)} />}
    </div>
  );
}

/** Who may write but not read sees what they staged, and why nothing else. */
function Blind({
  environment,
  role,
  writable,
  rows,
  onAction,
}: {
  environment: Environment;
  role: Role;
  writable: boolean;
  rows: readonly Row[];
  onAction: (action: RowAction, row: Row) => void;
}) {
  return (
    <>
      <Empty
        title={writable ? `You can write ${environment.slug}, but not read it.` : `You can’t read ${environment.slug}.`}
      >
        <p>
          {writable
            ? `As a ${role} you set values here without seeing which keys there are, or what they hold. What you set replaces what is there.`
            : `A ${role} reads ${environmentRules.read[role].join(' and ')} environments. Ask an owner or an admin.`}
        </p>
      </Empty>
      {rows.length > 0 && (
        <ul class="staged">
          {rows.map(row => (
            <li key={row.key}>
              <span class="mono key">{row.key}</span> <span class="quiet">new value staged</span>
              <Button
                kind="quiet"
                label={`Take back the change of ${row.key}`}
                onClick={() => onAction('unstage', row)}
              >
                Take back
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const shortcuts = [
  ['↑ ↓', 'go through the keys'],
  ['Enter', 'new value'],
  ['r', 'reveal or hide'],
  ['c', 'copy the value'],
  ['/', 'filter'],
  ['?', 'this list'],
  ['⌘K', 'go anywhere (Ctrl K)'],
] as const;

function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <p class="hint">Single keys work while the focus is in the table.</p>
      <dl class="facts">
        {shortcuts.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
