import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { SecretPanel } from '../../secrets/panel.tsx';
import { Review } from '../../secrets/review.tsx';
import { stageOf, stagingFor } from '../../secrets/staging.ts';
import { Tray } from '../../secrets/tray.tsx';
import { roleMay } from '../../ui/environment-rights.ts';
import type { ProjectProps } from '../../ui/in-project.tsx';
import type { Column } from './grid-cells.ts';
import { PromoteDialog } from './promote-dialog.tsx';

export type OpenPanel =
  | { kind: 'secret'; column: Column; key: string }
  | { kind: 'review'; environment: Environment }
  | { kind: 'promote'; keys: readonly string[] };

interface GridPanelsProps extends Pick<ProjectProps, 'organization' | 'project'> {
  open: OpenPanel | undefined;
  setOpen: (open: OpenPanel | undefined) => void;
  /** The source of a promotion. */
  from: string | undefined;
  /** Loads the keys again. */
  changed: () => Promise<void>;
}

/** What is open over the grid, and a tray for each environment with staged changes. */
export function GridPanels({ organization, project, open, setOpen, from, changed }: GridPanelsProps) {
  const { role } = organization;
  const close = () => setOpen(undefined);
  const inEnvironment = (environment: Environment) => ({
    place: { orgSlug: organization.slug, project: project.slug, env: environment.slug },
    // As it is now: it may have begun to require approvals.
    environment: project.environments.find(({ id }) => id === environment.id) ?? environment,
    role,
    onClose: close,
  });
  const staged = project.environments.flatMap(environment => {
    const stage = stageOf(environment.id).value;
    return stage === undefined ? [] : [{ environment, stage }];
  });
  return (
    <>
      {staged.length > 0 && (
        <div class="trays">
          {staged.map(({ environment, stage }) => (
            <Tray
              key={environment.id}
              of={environment}
              staged={stage}
              onDiscard={() => {
                stageOf(environment.id).value = undefined;
              }}
              onReview={() => setOpen({ kind: 'review', environment })}
            />
          ))}
        </div>
      )}
      {open?.kind === 'promote' && (
        <PromoteDialog {...{ organization, project, from }} keys={open.keys} onClose={close} reload={changed} />
      )}
      {open?.kind === 'secret' && (
        <SecretPanel
          {...inEnvironment(open.column.environment)}
          environments={project.environments}
          name={open.key}
          start={open.column.keys.has(open.key) ? undefined : 'editing'}
          onDescribed={changed}
          staging={stagingFor(open.column.environment.id, open.column.revision, open.column.listed)}
        />
      )}
      {open?.kind === 'review' && (
        <Review
          {...inEnvironment(open.environment)}
          readable={roleMay('read', role, open.environment.type)}
          onApplied={changed}
        />
      )}
    </>
  );
}
