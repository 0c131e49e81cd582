import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ChangePlan } from '@holdfast/contracts/secrets/changes.ts';
import { Refusal } from '../api.ts';
import { may } from '../session.ts';
import { count } from '../ui/count.ts';
import { Dialog } from '../ui/dialog.tsx';
import { EnvironmentMark } from '../ui/environment-mark.tsx';
import { Problem } from '../ui/problem.tsx';
import { Apply, type Sending } from './apply.tsx';
import { LineValues } from './line-values.tsx';
import { Moving } from './moving.tsx';
import { NamesOthers } from './names-others.tsx';
import type { Place } from './place.ts';
import { Proof, type ProofLine } from './proof.tsx';
import type { Stage, Staged } from './stage.ts';
import { unstage } from './staging.ts';
import { type ReviewOptions, useReview } from './use-review.ts';
import { WaitsForApproval } from './waits-for-approval.tsx';

/** The service's plan for the staged changes, which are applied or proposed as one revision or not at all. */
export function Review({ role, ...options }: ReviewOptions & { role: Role }) {
  const { place, environment, readable, onClose } = options;
  const { stage, plan, moved, planning, applying, continueOn } = useReview(options);
  if (stage === undefined) return null;
  const title = (
    <>
      Review <EnvironmentMark type={environment.type} name={environment.slug} />
    </>
  );
  return (
    <Dialog size="sheet" title={title} onClose={onClose}>
      {moved !== undefined ? (
        <Moving
          key={moved.revision}
          stage={stage}
          moved={moved}
          readable={readable}
          environment={environment}
          onContinue={choices => continueOn(moved, choices)}
        />
      ) : (
        <StagedChanges
          stage={stage}
          plan={plan}
          place={place}
          readable={readable}
          environment={environment}
          role={role}
          busy={applying.busy}
          error={planning.error ?? (isSessionOver(applying.error) ? undefined : applying.error)}
          retry={planning.error === undefined ? undefined : () => void planning.reload()}
          onApply={sending => void applying.run(stage, sending)}
        />
      )}
    </Dialog>
  );
}

/** The log-in over the page already explains this error and resolves it. */
const isSessionOver = (error: unknown) => error instanceof Refusal && error.code === 'unauthenticated';

interface StagedChangesProps {
  stage: Stage;
  plan: ChangePlan | undefined;
  place: Place;
  readable: boolean;
  environment: Environment;
  role: Role;
  busy: boolean;
  error: unknown;
  retry: (() => void) | undefined;
  onApply: (sending: Sending) => void;
}

function StagedChanges(props: StagedChangesProps) {
  const { stage, plan, readable, environment, role, busy, error, retry, onApply } = props;
  const lines = [...stage.changes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(change => lineOf(change, props));
  const changes = lines.some(({ mark }) => mark !== '=');
  const deletions = lines.filter(({ mark }) => mark === '−').length;
  return (
    <>
      <Proof
        lines={lines}
        from={stage.revision}
        to={changes && environment.approvals === 0 ? stage.revision + 1 : undefined}
      />
      <p class="quiet">
        {readable
          ? 'The audit log records each old value that you show. Values are hidden again after 30 seconds.'
          : `You can’t read ${environment.slug}, so only the values that you staged can be shown.`}
      </p>
      {plan === undefined && error === undefined && <p class="quiet">Checking what would change …</p>}
      {plan !== undefined && changes && <WaitsForApproval environment={environment} />}
      {plan !== undefined && changes && environment.approvals === 0 && (
        <p>
          {environment.slug} gets all of this as one revision, or none of it. Programs see it the next time they read{' '}
          {environment.slug}.
        </p>
      )}
      {plan !== undefined && !changes && <p class="notice">{environment.slug} already has these values.</p>}
      <Problem error={error} retry={retry} />
      <Apply
        environment={environment}
        role={role}
        label="Apply as one revision"
        busy={busy}
        disabled={plan === undefined || !changes}
        whyNot={
          deletions > 1 && !may('bulk-delete-secrets', role)
            ? 'Only owners and admins can delete more than one key at once. Undo some of the deletions.'
            : undefined
        }
        onApply={onApply}
      />
    </>
  );
}

/** A staged change with the service's plan for it, or with local data until the plan is loaded. */
function lineOf([key, staged]: readonly [string, Staged], props: StagedChangesProps): ProofLine {
  const { stage, plan, place, environment } = props;
  const mark = markOf(key, staged, plan);
  const becomesPlain = mark === '~' && staged.kind === 'set' && staged.replacesNames && !staged.expand;
  return {
    mark,
    key,
    note: (
      <>
        <span class={becomesEmpty(mark, staged) ? 'emptied' : 'quiet'}>{noteOf(mark, staged)}</span>
        {staged.kind === 'set' && staged.expand && <NamesOthers />}
        {becomesPlain && <span class="emptied">becomes plain text; it names other keys now</span>}
        <LineValues place={place} revision={stage.revision} name={key} staged={staged} />
        <button
          type="button"
          class="link"
          aria-label={`Undo the change to ${key}`}
          onClick={() => unstage(environment.id, key)}
        >
          undo
        </button>
      </>
    ),
  };
}

function markOf(key: string, staged: Staged, plan: ChangePlan | undefined): ProofLine['mark'] {
  if (staged.kind === 'delete') return '−';
  if (plan?.unchanged.includes(key)) return '=';
  return (plan?.created.includes(key) ?? staged.base === 0) ? '+' : '~';
}

const becomesEmpty = (mark: ProofLine['mark'], staged: Staged): boolean =>
  mark !== '=' && staged.kind === 'set' && staged.value === '';

function noteOf(mark: ProofLine['mark'], staged: Staged): string {
  if (becomesEmpty(mark, staged)) return mark === '+' ? 'an empty value' : 'becomes empty';
  if (mark === '=') return 'already has this value';
  if (staged.kind === 'delete') return 'deleted; its history is kept';
  return `${mark === '+' ? 'value' : 'new value'} of ${count([...staged.value].length, 'character')}`;
}
