import { useEffect, useState } from 'preact/hooks';
import type { Role } from '../../../../lib/contracts/fields/role.ts';
import type { Environment } from '../../../../lib/contracts/projects.ts';
import { call, Refusal } from '../api.ts';
import { useAction } from '../load.ts';
import { may } from '../session.ts';
import { Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Problem, say } from '../ui/feedback.tsx';
import { count, EnvironmentMark, Time } from '../ui/text.tsx';
import { Apply, Proof, type ProofLine, planOf } from './proof.tsx';
import { type Choice, rebase, type Stage, touchedKeys, withoutApplied } from './stage.ts';
import { stageOf, unstage } from './staging.ts';

interface ReviewProps {
  orgSlug: string;
  project: string;
  environment: Environment;
  role: Role;
  readable: boolean;
  onClose: () => void;
  onApplied: () => Promise<void>;
}

interface Moved {
  revision: number;
  versions: ReadonlyMap<string, number>;
  by: ReadonlyMap<string, { email: string; at: string }>;
}

function bodyOf(stage: Stage, message?: string) {
  const set: { key: string; value: string }[] = [];
  const gone: string[] = [];
  for (const [key, staged] of stage.changes) {
    if (staged.kind === 'set') set.push({ key, value: staged.value });
    else gone.push(key);
  }
  return {
    ...(set.length === 0 ? {} : { set }),
    ...(gone.length === 0 ? {} : { delete: gone }),
    ...(message ? { message } : {}),
  };
}

/** Everything staged, as the service says it would happen; then as one revision, or not at all. */
export function Review({ orgSlug, project, environment, role, readable, onClose, onApplied }: ReviewProps) {
  const current = stageOf(environment.id);
  const stage = current.value;
  const params = { orgSlug, project, env: environment.slug };
  const [planning, setPlanning] = useState<{ of: Stage; plan?: ReturnType<typeof planOf>; error?: unknown }>();
  const [attempt, setAttempt] = useState(0);
  const [moved, setMoved] = useState<Moved>();

  /** Looks at what moved, after the service refused to change another revision than the one that was shown. */
  const lookAgain = async (refusal: Refusal) => {
    if (!readable) {
      const { currentRevision } = refusal.details as { currentRevision: number };
      setMoved({ revision: currentRevision, versions: new Map(), by: new Map() });
      return;
    }
    const { keys, revision } = await call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', { params });
    setMoved({
      revision,
      versions: new Map(keys.map(({ key, version }) => [key, version])),
      by: new Map(keys.map(({ key, updatedBy, updatedAt }) => [key, { email: updatedBy.email, at: updatedAt }])),
    });
  };
  const unlessMoved = async (run: () => Promise<void>) => {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 412) throw error;
      await lookAgain(error);
    }
  };
  const applying = useAction((of: Stage, message: string) =>
    unlessMoved(async () => {
      const { revision } = await call('POST /v1/secrets/{orgSlug}/{project}/{env}/changes', {
        params,
        body: bodyOf(of, message),
        ifMatch: of.revision,
      });
      // The keys are loaded before what was staged goes, so that they never vanish in between.
      await onApplied();
      current.value = withoutApplied(current.value, of);
      say(`Applied as revision ${revision} of ${environment.slug}.`);
      onClose();
    }),
  );
  // Each change of what is staged asks anew; an answer about an earlier stage counts for nothing.
  useEffect(() => {
    if (stage === undefined) {
      onClose();
      return;
    }
    if (moved !== undefined) return;
    let current = true;
    setPlanning({ of: stage });
    const plan = async () => {
      const answer = await call('POST /v1/secrets/{orgSlug}/{project}/{env}/changes', {
        params,
        query: { dryRun: true },
        body: bodyOf(stage),
        ifMatch: stage.revision,
      });
      if (current) setPlanning({ of: stage, plan: planOf(answer) });
    };
    unlessMoved(plan).catch((error: unknown) => {
      if (current) setPlanning({ of: stage, error });
    });
    return () => {
      current = false;
    };
  }, [stage, moved, attempt]);
  if (stage === undefined) return null;

  const known = planning?.of === stage ? planning.plan : undefined;
  const refused = planning?.of === stage ? planning.error : undefined;
  const deletions = [...stage.changes.values()].filter(({ kind }) => kind === 'delete').length;
  const lines: ProofLine[] = [...stage.changes]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, staged]) => {
      const mark =
        staged.kind === 'delete'
          ? '−'
          : known?.unchanged.includes(key)
            ? '='
            : (known?.created.includes(key) ?? staged.base === 0)
              ? '+'
              : '~';
      return {
        mark,
        key,
        note: (
          <>
            <span class="quiet">{noteOf(mark, staged.kind === 'set' ? staged.value : undefined)}</span>
            <button
              type="button"
              class="link"
              aria-label={`Take back the change of ${key}`}
              onClick={() => unstage(environment.id, key)}
            >
              take back
            </button>
          </>
        ),
      };
    });
  const changes = lines.some(({ mark }) => mark !== '=');
  return (
    <Dialog
      size="sheet"
      title={
        <>
          Review <EnvironmentMark type={environment.type} name={environment.slug} />
        </>
      }
      onClose={onClose}
    >
      {moved === undefined ? (
        <>
          <Proof lines={lines} from={stage.revision} to={changes ? stage.revision + 1 : undefined} />
          {known === undefined && refused === undefined && <p class="quiet">Asking Holdfast what would change …</p>}
          {known !== undefined && !changes && <p class="notice">These values are in {environment.slug} already.</p>}
          <Problem
            error={refused ?? applying.error}
            retry={refused === undefined ? undefined : () => setAttempt(before => before + 1)}
          />
          <Apply
            environment={environment}
            label="Apply as one revision"
            busy={applying.busy}
            disabled={known === undefined || !changes}
            whyNot={
              deletions > 1 && !may('bulk-delete-secrets', role)
                ? 'Only owners and admins delete more than one key at once. Take some deletions back.'
                : undefined
            }
            onApply={message => void applying.run(stage, message)}
          />
        </>
      ) : (
        <Moving
          stage={stage}
          moved={moved}
          readable={readable}
          environment={environment}
          onRebase={choices => {
            current.value = rebase(stage, moved.revision, moved.versions, choices);
            setMoved(undefined);
            void onApplied();
          }}
        />
      )}
    </Dialog>
  );
}

function noteOf(mark: ProofLine['mark'], value: string | undefined): string {
  if (mark === '=') return 'has this value already';
  if (value === undefined) return 'will be gone; its history stays';
  return `${mark === '+' ? 'value' : 'new value'} of ${count([...value].length, 'character')}`;
}

/** The environment was changed meanwhile. Nothing is sent again before the person has seen it. */
function Moving({
  stage,
  moved,
  readable,
  environment,
  onRebase,
}: {
  stage: Stage;
  moved: Moved;
  readable: boolean;
  environment: Environment;
  onRebase: (choices: Record<string, Choice>) => void;
}) {
  const touched = readable ? touchedKeys(stage, moved.versions) : [];
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  const open = touched.filter(key => choices[key] === undefined);
  return (
    <div class="moved">
      <h3>
        <span class="mono">{environment.slug}</span> moved from {stage.revision} to {moved.revision} while you worked.
      </h3>
      <p>Nothing of yours was applied, and nothing is lost.</p>
      {!readable && <p>You can’t read this environment, so it can’t be said which keys changed.</p>}
      {readable && touched.length === 0 && <p>None of the keys that you changed was touched.</p>}
      {touched.length > 0 && (
        <>
          <p>Another person changed these keys too. Choose whose change to keep.</p>
          <ul class="conflicts">
            {touched.map(key => {
              const staged = stage.changes.get(key);
              const by = moved.by.get(key);
              return (
                <li key={key}>
                  <fieldset>
                    <legend class="mono key">{key}</legend>
                    <label>
                      <input
                        type="radio"
                        name={`choice-${key}`}
                        checked={choices[key] === 'theirs'}
                        onChange={() => setChoices({ ...choices, [key]: 'theirs' })}
                      />
                      <span>
                        Theirs{' '}
                        <span class="quiet">
                          {by === undefined ? (
                            'deleted'
                          ) : (
                            <>
                              version {moved.versions.get(key)} by {by.email}, <Time at={by.at} />
                            </>
                          )}
                        </span>
                      </span>
                    </label>
                    <label>
                      <input
                        type="radio"
                        name={`choice-${key}`}
                        checked={choices[key] === 'mine'}
                        onChange={() => setChoices({ ...choices, [key]: 'mine' })}
                      />
                      <span>
                        Mine{' '}
                        <span class="quiet">{staged?.kind === 'delete' ? 'delete it' : 'the value that I staged'}</span>
                      </span>
                    </label>
                  </fieldset>
                </li>
              );
            })}
          </ul>
        </>
      )}
      <div class="actions">
        <Button kind="primary" disabled={open.length > 0} onClick={() => onRebase(choices)}>
          Rebase on {moved.revision}
        </Button>
        {open.length > 0 && <span class="quiet">{open.length} to decide</span>}
      </div>
    </div>
  );
}
