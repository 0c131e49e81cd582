import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { addressWith, navigate, searchParameters } from '../../router.ts';
import { type OpenDialog, SecretDialogs } from '../../secrets/dialogs.tsx';
import { SecretList } from '../../secrets/list.tsx';
import type { Place } from '../../secrets/place.ts';
import { proposalsPath } from '../../secrets/propose.ts';
import type { Row, RowAction } from '../../secrets/row.tsx';
import { type OnSelected, Selected } from '../../secrets/selected.tsx';
import { TakeValues } from '../../secrets/take-values.tsx';
import { Tray } from '../../secrets/tray.tsx';
import { type Rows, useRows } from '../../secrets/use-rows.ts';
import { type Secrets as LoadedSecrets, useSecrets } from '../../secrets/use-secrets.ts';
import { useValue } from '../../secrets/use-value.ts';
import { WriteOnly } from '../../secrets/write-only.tsx';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/count.ts';
import { Empty } from '../../ui/empty.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import { FirstSteps } from '../../ui/first-steps.tsx';
import { NoSuchEnvironment, type ProjectProps } from '../../ui/in-project.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { AccessNow, type Rights, WithGrants } from './environment-access.tsx';
import { PromoteDialog } from './promote-dialog.tsx';
import './project.css';

export function EnvironmentScreen(props: ProjectProps) {
  const environment = props.project.environments.find(({ slug }) => slug === props.parameters.env);
  if (environment === undefined) return <NoSuchEnvironment {...props} />;
  const { organization, project } = props;
  return (
    <WithGrants {...{ organization, project, environment }}>
      {rights => (
        <Secrets key={`${environment.id} ${rights.read}`} {...props} environment={environment} rights={rights} />
      )}
    </WithGrants>
  );
}

interface SecretsProps extends ProjectProps {
  environment: Environment;
  rights: Rights;
}

function Secrets({ organization, project, environment, reload, rights }: SecretsProps) {
  const { role } = organization;
  const place = { orgSlug: organization.slug, project: project.slug, env: environment.slug };
  const { read: readable, write: writable } = rights;
  const secrets = useSecrets({ place, environment, readable, reload });
  const { staging } = secrets;
  const value = useValue(place, environment.id);
  const rows = useRows(secrets.rows, organization.slug);
  const [open, setOpen] = useState<OpenDialog | undefined>(linkedDialog);
  const close = () => {
    setOpen(undefined);
    navigate(addressWith({ set: undefined }), { replace: true });
  };
  const actions: Readonly<Record<RowAction, (row: Row) => void>> = {
    open: ({ key }) => setOpen({ kind: 'secret', key }),
    reveal: ({ key }) => setOpen({ kind: 'secret', key, start: 'revealed' }),
    copy: ({ key }) => value.copy(key),
    edit: ({ key }) => setOpen({ kind: 'secret', key, start: 'editing' }),
    delete: ({ key }) => staging.remove([key]),
    unstage: ({ key }) => staging.unstage(key),
  };
  const onAction = (action: RowAction, row: Row) => actions[action](row);
  return (
    <div class={`railed ${environment.type}`}>
      <Page
        title={`${environment.slug} · ${project.slug} · ${organization.name}`}
        heading={<EnvironmentMark type={environment.type} name={environment.name} />}
        lead={<Lead {...{ place, environment, readable, writable }} revision={secrets.revision} />}
        actions={
          <>
            <Button onClick={() => setOpen({ kind: 'paste' })} disabled={!writable}>
              Paste .env
            </Button>
            <Button
              kind="primary"
              onClick={() => setOpen({ kind: 'secret' })}
              whyNot={writable ? undefined : `As a ${role}, you can’t change ${environment.slug}.`}
            >
              Add secret
            </Button>
          </>
        }
      >
        <Problem error={value.error} />
        <AccessNow {...{ organization, environment, rights }} />
        {readable && secrets.keys.data !== undefined && secrets.rows.length === 0 ? (
          <NoSecrets {...{ organization, project, environment, writable }} onAdd={() => setOpen({ kind: 'secret' })} />
        ) : readable ? (
          <SecretList {...{ secrets, rows, writable, onAction }} />
        ) : (
          <WriteOnly {...{ environment, role, writable }} rows={secrets.rows} onUnstage={staging.unstage} />
        )}
      </Page>
      <Trays
        {...{ organization, project, environment, reload, secrets, rows, writable }}
        onReview={() => setOpen({ kind: 'review' })}
      />
      {open !== undefined && (
        <SecretDialogs
          open={open}
          {...{ place, environment, role, readable, secrets }}
          environments={project.environments}
          onClose={close}
        />
      )}
    </div>
  );
}

interface TraysProps extends Omit<SecretsProps, 'parameters' | 'rights'> {
  secrets: LoadedSecrets;
  rows: Rows;
  writable: boolean;
  onReview: () => void;
}

/** What is selected and what is staged, with the dialog for the selected keys. */
function Trays({ organization, project, environment, reload, secrets, rows, writable, onReview }: TraysProps) {
  const { staging, revision } = secrets;
  const { selected, has, clear } = rows.selection;
  /** What is open for the keys that were selected then. */
  const [openFor, setOpenFor] = useState<{ what: OnSelected; keys: readonly string[] }>();
  const close = () => setOpenFor(undefined);
  const stageDeletion = (keys: readonly string[]) => {
    staging.remove(keys);
    clear();
  };
  return (
    <>
      <div class="trays">
        {selected.length > 0 && (
          <Selected
            selection={rows.selection}
            shown={rows.shown.filter(({ key }) => has(key)).length}
            role={organization.role}
            writable={writable}
            onDelete={() => stageDeletion(selected.map(({ key }) => key))}
            onOpen={what =>
              setOpenFor({ what, keys: selected.filter(({ entry }) => entry !== undefined).map(({ key }) => key) })
            }
          />
        )}
        {staging.staged !== undefined && (
          <Tray staged={staging.staged} onDiscard={staging.discard} onReview={onReview} />
        )}
      </div>
      {openFor?.what === 'values' && (
        <TakeValues
          place={{ orgSlug: organization.slug, project: project.slug, env: environment.slug }}
          revision={revision}
          keys={openFor.keys}
          onClose={close}
        />
      )}
      {openFor !== undefined && openFor.what !== 'values' && (
        <PromoteDialog
          {...{ organization, project, reload }}
          from={environment.slug}
          keys={openFor.keys}
          onMoved={openFor.what === 'move' ? stageDeletion : undefined}
          onClose={close}
        />
      )}
    </>
  );
}

interface NoSecretsProps extends Pick<ProjectProps, 'organization' | 'project'> {
  environment: Environment;
  writable: boolean;
  onAdd: () => void;
}

function NoSecrets({ organization, project, environment, writable, onAdd }: NoSecretsProps) {
  return (
    <Empty title="No secrets yet.">
      {writable && (
        <>
          <p>
            <button type="button" class="link" onClick={onAdd}>
              Add one here
            </button>
            , or paste the lines of a .env file. Nothing changes until you review and apply it. Or work from a terminal:
          </p>
          <FirstSteps
            organization={organization.slug}
            place={{ project: project.slug, environment: environment.slug }}
          />
        </>
      )}
    </Empty>
  );
}

/** A link opens the field for a new value of a key. */
function linkedDialog(): OpenDialog | undefined {
  const key = searchParameters().get('set');
  return key === null ? undefined : { kind: 'secret', key, start: 'editing' };
}

interface LeadProps {
  place: Place;
  environment: Environment;
  readable: boolean;
  writable: boolean;
  revision: number;
}

function Lead({ place, environment, readable, writable, revision }: LeadProps) {
  const { orgSlug, project, env } = place;
  return (
    <>
      <span class="word mono">{environment.slug}</span>
      {environment.type === environment.slug ? '' : `${environment.type} · `}revision{' '}
      <span class="mono">{revision}</span>
      {environment.approvals > 0 && ` · ${count(environment.approvals, 'approval')} needed`}
      {readable && (
        <>
          {' · '}
          <a href={`/organizations/${orgSlug}/projects/${project}/environments/${env}/revisions`}>History</a>
        </>
      )}
      {writable && (
        <>
          {' · '}
          <a href={proposalsPath(place)}>Proposals</a>
        </>
      )}
    </>
  );
}
