import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { proposalsPath } from '../../secrets/propose.ts';
import { may, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { EmptyPage } from '../../ui/empty-page.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import { NoSuchEnvironment, type ProjectProps } from '../../ui/in-project.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { WithGrants } from './environment-access.tsx';
import { Restore } from './restore.tsx';
import { RevisionDiff } from './revision-diff.tsx';
import { RevisionItem } from './revision-item.tsx';
import { type RevisionEntry, useRevisions } from './use-revisions.ts';
import '../../ui/journal.css';

export function Revisions(props: ProjectProps) {
  const { organization, project, parameters } = props;
  const environment = project.environments.find(({ slug }) => slug === parameters.env);
  if (environment === undefined) return <NoSuchEnvironment {...props} />;
  return (
    <WithGrants {...{ organization, project, environment }}>
      {rights =>
        rights.read ? (
          <Journal key={environment.id} {...props} environment={environment} />
        ) : (
          <EmptyPage
            title="History"
            reason={`As a ${organization.role}, you can’t read the history of ${environment.slug}.`}
          />
        )
      }
    </WithGrants>
  );
}

function Journal({ organization, project, environment, reload }: ProjectProps & { environment: Environment }) {
  const place = { orgSlug: organization.slug, project: project.slug, env: environment.slug };
  const [restoring, setRestoring] = useState<number>();
  const [comparing, setComparing] = useState<RevisionEntry>();
  const revisions = useRevisions(place, environment.id);
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
        <RevisionList
          revisions={revisions}
          proposalAt={id => proposalsPath(place, id)}
          whyNot={may('restore-secrets', organization.role) ? undefined : whoMay('restore-secrets')}
          onCompare={setComparing}
          onRestore={setRestoring}
        />
        {comparing !== undefined && (
          <RevisionDiff place={place} revision={comparing.revision} onClose={() => setComparing(undefined)} />
        )}
        {restoring !== undefined && (
          <Restore
            place={place}
            environment={environment}
            role={organization.role}
            revision={restoring}
            reload={reload}
            onClose={() => setRestoring(undefined)}
            onRestored={() => {
              void revisions.loaded.reload();
              void reload();
            }}
          />
        )}
      </Page>
    </div>
  );
}

interface RevisionListProps {
  revisions: ReturnType<typeof useRevisions>;
  /** The page of a proposal. */
  proposalAt: (id: string) => string;
  /** Why nothing can be restored. */
  whyNot: string | undefined;
  onCompare: (entry: RevisionEntry) => void;
  onRestore: (revision: number) => void;
}

function RevisionList(props: RevisionListProps) {
  const {
    revisions: { loaded, older },
    proposalAt,
    whyNot,
    onCompare,
    onRestore,
  } = props;
  return (
    <Await of={loaded} rows={8}>
      {({ revisions, next }) =>
        revisions.length === 0 ? (
          <Empty title="No changes yet." />
        ) : (
          <>
            <ol class="journal revisions">
              {revisions.map((entry, index) => (
                <RevisionItem
                  key={entry.revision}
                  entry={entry}
                  current={index === 0}
                  restorable={whyNot === undefined}
                  proposalAt={proposalAt}
                  onCompare={() => onCompare(entry)}
                  onRestore={() => onRestore(entry.revision)}
                />
              ))}
            </ol>
            <Problem error={older.error} />
            {next !== null && (
              <Button busy={older.busy} onClick={() => void older.run(next)}>
                Older
              </Button>
            )}
            {next === null && whyNot === undefined && (
              <Button kind="quiet" onClick={() => onRestore(0)}>
                Restore revision 0, the empty environment …
              </Button>
            )}
            {whyNot !== undefined && <p class="hint">{whyNot.replace('do this', 'restore a revision')}</p>}
          </>
        )
      }
    </Await>
  );
}
