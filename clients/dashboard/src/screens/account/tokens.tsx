import { useState } from 'preact/hooks';
import type { CliToken } from '../../../../../lib/contracts/auth/cli-token.ts';
import type { Project } from '../../../../../lib/contracts/projects/project.ts';
import { call, Refusal } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { session } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { ShownOnceDialog } from '../../ui/shown-once.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { AccountTabs } from './account.tsx';
import { accessInWords, type TokenChoice, TokenFields, tokenBody } from './token-fields.tsx';

export function Tokens() {
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<CliToken>();
  const loaded = useLoad('tokens', async signal => {
    const { tokens } = await call('GET /v1/auth/tokens', { signal });
    const limited = new Set(
      tokens.flatMap(({ organizationId, projectId }) =>
        projectId === null || organizationId === null ? [] : [organizationId],
      ),
    );
    const lists = await Promise.all(
      [...limited].map(orgId =>
        call('GET /v1/projects/{orgId}', { params: { orgId }, signal }).then(
          ({ projects }) => projects,
          // An organization that one left has no projects to name.
          error => {
            if (error instanceof Refusal && error.status === 404) return [];
            throw error;
          },
        ),
      ),
    );
    return { tokens, projects: lists.flat() };
  });
  return (
    <>
      <AccountTabs />
      <Page
        title="Tokens"
        lead="For the command line, SDKs and pipelines. A token never does more than you may."
        actions={
          <Button kind="primary" onClick={() => setCreating(true)}>
            New token
          </Button>
        }
      >
        <Await of={loaded}>
          {({ tokens, projects }) =>
            tokens.length === 0 ? (
              <Empty title="No tokens yet." />
            ) : (
              <Table
                caption="Tokens"
                rows={tokens}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: 'Token',
                    cell: ({ name, prefix }) => (
                      <>
                        <strong>{name}</strong> <span class="mono quiet">{prefix}…</span>
                      </>
                    ),
                  },
                  { title: 'Access', cell: ({ access }) => <span title={accessInWords[access]}>{access}</span> },
                  { title: 'Limited to', cell: token => <span class="mono">{limitOf(token, projects)}</span> },
                  {
                    title: 'Last used',
                    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />),
                  },
                  {
                    title: 'Expires',
                    cell: ({ expiresAt }) => (expiresAt === null ? 'never' : <Time at={expiresAt} />),
                  },
                  {
                    title: 'Actions',
                    hiddenTitle: true,
                    cell: token => (
                      <Button kind="quiet" label={`Revoke ${token.name}`} onClick={() => setRevoking(token)}>
                        Revoke
                      </Button>
                    ),
                  },
                ]}
              />
            )
          }
        </Await>
        {creating && (
          <NewToken
            onClose={() => {
              setCreating(false);
              void loaded.reload();
            }}
          />
        )}
        {revoking !== undefined && (
          <Confirm
            title="Revoke token"
            action="Revoke"
            onClose={() => setRevoking(undefined)}
            onConfirm={async () => {
              await call('DELETE /v1/auth/tokens/{tokenId}', { params: { tokenId: revoking.id } });
              showToast(`${revoking.name} is revoked.`);
              await loaded.reload();
            }}
          >
            <p>
              What uses <strong>{revoking.name}</strong> is locked out at once.
            </p>
          </Confirm>
        )}
      </Page>
    </>
  );
}

function limitOf({ organizationId, projectId, environmentId }: CliToken, projects: readonly Project[]): string {
  if (organizationId === null) return '–';
  const organization =
    session.value?.organizations.find(({ id }) => id === organizationId)?.slug ?? 'an organization you left';
  const project = projects.find(({ id }) => id === projectId);
  const environment = project?.environments.find(({ id }) => id === environmentId)?.slug;
  const names = [organization, projectId === null ? undefined : (project?.slug ?? 'a deleted project'), environment];
  return names.filter(name => name !== undefined).join('/');
}

function NewToken({ onClose }: { onClose: () => void }) {
  const [choice, setChoice] = useState<TokenChoice>({
    access: 'read',
    organizationId: '',
    projectId: '',
    environmentId: '',
    expiresInDays: '90',
  });
  const [token, setToken] = useState<string>();
  const create = useAction(async ({ name = '' }: Record<string, string>) => {
    const made = await call('POST /v1/auth/token', { body: tokenBody(name, choice) });
    setToken(made.token);
  });
  if (token !== undefined) {
    return <ShownOnceDialog title="Token created" name="The token" value={token} onClose={onClose} />;
  }
  return (
    <Dialog title="New token" onClose={onClose}>
      <Form onSubmit={values => void create.run(values)}>
        <Field
          label="What is it for?"
          name="name"
          required
          maxLength={100}
          placeholder="deploy pipeline"
          error={create.error}
        />
        <TokenFields choice={choice} onChange={setChoice} />
        <Problem error={create.error} />
        <FormActions busy={create.busy} onClose={onClose}>
          Create token
        </FormActions>
      </Form>
    </Dialog>
  );
}
