import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { Place } from '../../secrets/place.ts';
import { PlannedChange } from '../../secrets/planned-change.tsx';
import { linesOf } from '../../secrets/proof.tsx';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useRestore } from './use-restore.ts';
import '../../ui/journal.css';

interface RestoreProps {
  place: Place;
  environment: Environment;
  role: Role;
  revision: number;
  onClose: () => void;
  onRestored: () => void;
  reload: () => Promise<void>;
}

export function Restore({ place, environment, role, revision, onClose, onRestored, reload }: RestoreProps) {
  const { plan, restoring, without, destroyed, leaveOut, planAgain } = useRestore({
    place,
    revision,
    reload,
    onRestored: () => {
      onRestored();
      onClose();
    },
  });
  return (
    <Dialog title={`Restore revision ${revision}`} size="sheet" onClose={onClose}>
      {without.length === 0 ? (
        <p>
          {environment.slug} goes back to revision {revision}, as a new revision. No history is lost.
        </p>
      ) : (
        <p>
          The other keys go back to revision {revision}, as a new revision.{' '}
          <span class="mono keys">{without.join('  ')}</span>{' '}
          {without.length === 1 ? 'stays as it is' : 'stay as they are'}.
        </p>
      )}
      {destroyed.length > 0 && <Button onClick={() => leaveOut(destroyed)}>Restore the other keys …</Button>}
      <Await of={plan}>
        {found => {
          const lines = linesOf(found.plan);
          return (
            <PlannedChange
              environment={environment}
              role={role}
              lines={lines}
              chosen={lines.length}
              revision={found.on}
              empty="Nothing has changed since then."
              label="Restore"
              busy={restoring.busy}
              error={restoring.error}
              onApply={sending => void restoring.run(found.on, found.keys, sending)}
              onPlanAgain={planAgain}
            />
          );
        }}
      </Await>
    </Dialog>
  );
}
