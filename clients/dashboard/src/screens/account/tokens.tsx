import type { CliToken } from '@holdfast/contracts/auth/tokens.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { call, Refusal } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { session } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Example } from '../../ui/example.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { RevokeToken } from '../../ui/revoke-token.tsx';
import type { Column } from '../../ui/table.tsx';
import { LastUsed } from '../../ui/time.tsx';
import { expiresColumn, tokenColumn } from '../../ui/token-columns.tsx';
import { accessInWords } from './accesses.ts';
import { LeakedOf } from './leaked.tsx';
import { NewToken } from './new-token.tsx';
import { AccountTabs } from './tabs.tsx';

interface Found {
  tokens: readonly CliToken[];
  /** All projects of the organizations that the tokens are limited to. */
  projects: readonly Project[];
}

export function Tokens() {
  const [revoking, setRevoking] = useState<CliToken>();
  const loaded = useLoad('tokens', loadTokens);
  return (
    <>
      <AccountTabs />
      <ListPage
        title="Tokens"
        heading="Tokens"
        lead="For the command line, SDKs and pipelines. A token never has more rights than you."
        loaded={loaded}
        rowsOf={({ tokens }) => tokens}
        columns={({ projects }) => columns(projects, setRevoking)}
        empty={<NoTokens />}
        add="New token"
        to={(_, onClose) => <NewToken onClose={onClose} />}
      >
        {revoking !== undefined && (
          <RevokeToken token={revoking} onRevoked={loaded.reload} onClose={() => setRevoking(undefined)} />
        )}
      </ListPage>
    </>
  );
}

async function loadTokens(signal: AbortSignal): Promise<Found> {
  const { tokens } = await call('GET /v1/auth/tokens', { signal });
  const organizations = new Set(
    tokens.flatMap(({ organizationId, projectId }) =>
      projectId === null || organizationId === null ? [] : [organizationId],
    ),
  );
  const lists = await Promise.all([...organizations].map(orgId => projectsOf(orgId, signal)));
  return { tokens, projects: lists.flat() };
}

/** An organization's projects; none if the user has left it. */
async function projectsOf(orgId: string, signal: AbortSignal): Promise<Project[]> {
  try {
    return (await call('GET /v1/projects/{orgId}', { params: { orgId }, signal })).projects;
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return [];
    throw error;
  }
}

const columns = (projects: readonly Project[], onRevoke: (token: CliToken) => void): readonly Column<CliToken>[] => [
  tokenColumn,
  { title: 'Access', cell: ({ access }) => <span title={accessInWords[access]}>{access}</span> },
  { title: 'Limited to', cell: token => <span class="mono">{limitOf(token, projects)}</span> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
  expiresColumn,
  {
    title: 'Actions',
    hiddenTitle: true,
    cell: token => (
      <>
        <LeakedOf type="token" id={token.id} name={token.name} organizationId={token.organizationId} />
        <Button kind="quiet" label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
          Revoke
        </Button>
      </>
    ),
  },
];

function limitOf({ organizationId, projectId, environmentId }: CliToken, projects: readonly Project[]): string {
  if (organizationId === null) return '–';
  const organization =
    session.value?.organizations.find(({ id }) => id === organizationId)?.slug ?? 'an organization you left';
  const project = projects.find(({ id }) => id === projectId);
  const environment = project?.environments.find(({ id }) => id === environmentId)?.slug;
  const names = [organization, projectId === null ? undefined : (project?.slug ?? 'a deleted project'), environment];
  return names.filter(name => name !== undefined).join('/');
}

function NoTokens() {
  return (
    <Empty title="No tokens yet.">
      <p>
        A token lets a script act as you. Limit it to one project or environment, and to reading where that is enough.
        On your own machine use <code>holdfast login</code> instead: it creates a token and stores it in your keyring.
      </p>
      <Example
        title="Running a command with the secrets of an environment"
        text={`export HOLDFAST_URL=${window.location.origin}
export HOLDFAST_TOKEN_FILE=/run/secrets/holdfast
holdfast run -- ./deploy.sh`}
      />
    </Empty>
  );
}
