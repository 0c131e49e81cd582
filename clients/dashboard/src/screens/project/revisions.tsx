import { useState } from 'preact/hooks';
import type { Environment } from '../../../../../lib/contracts/projects/environment.ts';
import { type Answer, call, Refusal } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { Apply, linesOf, Proof, planOf } from '../../secrets/proof.tsx';
import { ShowValues, useValues } from '../../secrets/shown.tsx';
import { may, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { roleMay } from './environment.tsx';
import '../../ui/journal.css';
import './revisions.css';

type RevisionEntry = Answer<'GET /v1/secrets/{orgSlug}/{project}/{env}/revisions'>['revisions'][number];

interface Place {
  orgSlug: string;
  project: string;
  env: string;
}

export function Revisions({ organization, project, parameters, reload }: ProjectProps) {
  const environment = project.environments.find(({ slug }) => slug === parameters.env);
  const place = { orgSlug: organization.slug, project: project.slug, env: parameters.env ?? '' };
  const readable = environment !== undefined && roleMay('read', organization.role, environment.type);
  const [restoring, setRestoring] = useState<number>();
  const [comparing, setComparing] = useState<RevisionEntry>();
  const loaded = useLoad(`${environment?.id}`, async signal =>
    readable
      ? call('GET /v1/secrets/{orgSlug}/{project}/{env}/revisions', { params: place, query: { limit: 20 }, signal })
      : undefined,
  );
  const more = useAction(async (before: number) => {
    const next = await call('GET /v1/secrets/{orgSlug}/{project}/{env}/revisions', {
      params: place,
      query: { limit: 20, before },
    });
    loaded.set({ revisions: [...(loaded.data?.revisions ?? []), ...next.revisions], next: next.next });
  });
  if (environment === undefined || !readable)
    return (
      <Page title="History">
        <Empty
          title={
            environment === undefined
              ? 'This project has no such environment.'
              : `As a ${organization.role} you can’t read the history of ${environment.slug}.`
          }
        />
      </Page>
    );
  const whyNot = may('restore-secrets', organization.role) ? undefined : whoMay('restore-secrets');
  return (
    <div class={`railed ${environment.type}`}>
      <Page
        title={`History · ${environment.slug} · ${project.slug}`}
        heading={
          <>
            History of <EnvironmentMark type={environment.type} name={environment.name} />
          </>
        }
        lead={
          <a href={`/organizations/${organization.slug}/projects/${project.slug}/environments/${environment.slug}`}>
            Back to its secrets
          </a>
        }
      >
        <Await of={loaded} rows={8}>
          {list =>
            list === undefined || list.revisions.length === 0 ? (
              <Empty title="Nothing was changed yet." />
            ) : (
              <>
                <ol class="journal revisions">
                  {list.revisions.map((entry, index) => (
                    <li key={entry.revision}>
                      <p class="when mono">{entry.revision}</p>
                      <div>
                        <p>
                          <strong>{headline(entry)}</strong>{' '}
                          <span class="quiet">
                            {entry.createdBy?.email ?? 'an operator'}, <Time at={entry.createdAt} />
                          </span>
                        </p>
                        {entry.message !== null && <p class="message">“{entry.message}”</p>}
                        <Changes entry={entry} />
                        <div class="actions">
                          <Button
                            kind="quiet"
                            label={`Diff of revision ${entry.revision}`}
                            onClick={() => setComparing(entry)}
                          >
                            Diff
                          </Button>
                          {index > 0 && (
                            <Button
                              kind="quiet"
                              label={`Restore revision ${entry.revision}`}
                              onClick={() => setRestoring(entry.revision)}
                              disabled={whyNot !== undefined}
                            >
                              Restore …
                            </Button>
                          )}
                        </div>
                      </div>
                    </li>
                  ))}
                </ol>
                <Problem error={more.error} />
                {list.next !== null && (
                  <Button busy={more.busy} onClick={() => void more.run(list.next as number)}>
                    Older
                  </Button>
                )}
                {list.next === null && whyNot === undefined && environment.revision > 0 && (
                  <Button kind="quiet" onClick={() => setRestoring(0)}>
                    Restore revision 0, the empty environment …
                  </Button>
                )}
                {whyNot !== undefined && <p class="hint">{whyNot.replace('do this', 'restore a revision')}</p>}
              </>
            )
          }
        </Await>
        {comparing !== undefined && <Diff place={place} entry={comparing} onClose={() => setComparing(undefined)} />}
        {restoring !== undefined && (
          <Restore
            place={place}
            environment={environment}
            revision={restoring}
            onClose={() => setRestoring(undefined)}
            onRestored={() => {
              void loaded.reload();
              void reload();
            }}
          />
        )}
      </Page>
    </div>
  );
}

function headline({ action, from, restored }: RevisionEntry): string {
  if (restored !== undefined) return `Restored revision ${restored}`;
  if (from !== undefined) return `Promoted from ${from.slug} at ${from.revision}`;
  if (action === 'secret.bulk_set') return 'Imported';
  if (action === 'secret.deleted' || action === 'secret.bulk_delete') return 'Deleted';
  return 'Changed';
}

const shownKeys = 6;

function Changes({ entry }: { entry: RevisionEntry }) {
  const [open, setOpen] = useState(false);
  const lines = linesOf(entry);
  return (
    <p class="mono keys">
      {(open ? lines : lines.slice(0, shownKeys)).map(({ mark, key }) => (
        <span key={key} class={`inline-mark ${mark === '+' ? 'added' : mark === '−' ? 'deleted' : 'changed'}`}>
          {mark} {key}
        </span>
      ))}
      {!open && lines.length > shownKeys && (
        <button type="button" class="link" onClick={() => setOpen(true)}>
          and {lines.length - shownKeys} more
        </button>
      )}
    </p>
  );
}

function Diff({ place, entry, onClose }: { place: Place; entry: RevisionEntry; onClose: () => void }) {
  const diff = useValues(`${entry.revision}`, (values, signal) =>
    call('GET /v1/secrets/{orgSlug}/{project}/{env}/diff', {
      params: { ...place },
      query: { from: entry.revision - 1, to: entry.revision, values },
      signal,
    }),
  );
  return (
    <Dialog title={`Revision ${entry.revision}`} size="sheet" onClose={onClose}>
      <Await of={diff.of}>
        {({ from, to, created, updated, deleted }) => (
          <Proof
            from={from}
            to={to}
            empty="The values are what they were before."
            lines={[
              ...created.map(({ key, after }) => ({ mark: '+' as const, key, note: <Values after={after} /> })),
              ...updated.map(({ key, before, after }) => ({
                mark: '~' as const,
                key,
                note: <Values before={before} after={after} />,
              })),
              ...deleted.map(({ key, before }) => ({ mark: '−' as const, key, note: <Values before={before} /> })),
            ].toSorted((a, b) => (a.key < b.key ? -1 : 1))}
          />
        )}
      </Await>
      <ShowValues of={diff} />
    </Dialog>
  );
}

function Values({ before, after }: { before?: string | undefined; after?: string | undefined }) {
  if (before === undefined && after === undefined) return null;
  return (
    <span class="values mono">
      {before !== undefined && <del>{before === '' ? <i>empty</i> : before}</del>}
      {after !== undefined && <ins>{after === '' ? <i>empty</i> : after}</ins>}
    </span>
  );
}

/** The keys of now and of then, but for some. Key lists need no destroyed value. */
async function keysBut(
  without: readonly string[],
  place: Place,
  revision: number,
  signal: AbortSignal,
): Promise<string[]> {
  const lists = await Promise.all(
    [undefined, revision].map(at =>
      call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', {
        params: { ...place },
        query: { revision: at },
        signal,
      }),
    ),
  );
  const all = new Set(lists.flatMap(({ keys }) => keys.map(({ key }) => key)));
  for (const key of without) all.delete(key);
  return [...all].toSorted();
}

/** What restoring would do, then as one new revision on exactly the revision that the plan was made on. */
function Restore({
  place,
  environment,
  revision,
  onClose,
  onRestored,
}: {
  place: Place;
  environment: Environment;
  revision: number;
  onClose: () => void;
  onRestored: () => void;
}) {
  /** Keys whose values of then were destroyed; the others can be restored without them. */
  const [without, setWithout] = useState<readonly string[]>([]);
  const plan = useLoad(`restore ${revision} ${without.length}`, async signal => {
    const keys = without.length === 0 ? undefined : await keysBut(without, place, revision, signal);
    const answer = await call('POST /v1/secrets/{orgSlug}/{project}/{env}/restore', {
      params: { ...place },
      query: { dryRun: true },
      body: { revision, ...(keys === undefined ? {} : { keys }) },
      signal,
    });
    return { plan: planOf(answer), revision: answer.revision, keys };
  });
  const destroyed =
    plan.error instanceof Refusal && plan.error.code === 'version_destroyed'
      ? (plan.error.details as { keys: string[] }).keys
      : [];
  const restore = useAction(async (on: number, keys: readonly string[] | undefined, message: string) => {
    const answer = await call('POST /v1/secrets/{orgSlug}/{project}/{env}/restore', {
      params: { ...place },
      body: { revision, ...(keys === undefined ? {} : { keys: [...keys] }), ...(message === '' ? {} : { message }) },
      ifMatch: on,
    });
    showToast(`Revision ${revision} is restored as revision ${answer.revision}.`);
    onRestored();
    onClose();
  });
  return (
    <Dialog title={`Restore revision ${revision}`} size="sheet" onClose={onClose}>
      {without.length === 0 ? (
        <p>{environment.slug} becomes what it was then, as a new revision. Nothing of its history is lost.</p>
      ) : (
        <p>
          The other keys become what they were then, as a new revision.{' '}
          <span class="mono keys">{without.join('  ')}</span>{' '}
          {without.length === 1 ? 'stays as it is' : 'stay as they are'}.
        </p>
      )}
      {destroyed.length > 0 && (
        <Button onClick={() => setWithout([...without, ...destroyed])}>Restore the other keys …</Button>
      )}
      <Await of={plan}>
        {found => {
          const lines = linesOf(found.plan);
          return (
            <>
              <Proof
                lines={lines}
                from={found.revision}
                to={lines.length === 0 ? undefined : found.revision + 1}
                empty="It is what it was then."
              />
              <Problem error={restore.error} />
              {restore.error instanceof Refusal && restore.error.status === 412 && (
                <Button
                  onClick={() => {
                    restore.clear();
                    void plan.reload();
                  }}
                >
                  Look at what would change now
                </Button>
              )}
              <Apply
                environment={environment}
                label="Restore"
                busy={restore.busy}
                disabled={lines.length === 0}
                onApply={message => void restore.run(found.revision, found.keys, message)}
              />
            </>
          );
        }}
      </Await>
    </Dialog>
  );
}
