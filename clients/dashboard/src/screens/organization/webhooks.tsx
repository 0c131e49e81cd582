import { eventNames } from 'virtual:contracts';
import { useState } from 'preact/hooks';
import type { EventName } from '../../../../../lib/contracts/fields/events.ts';
import type { Project } from '../../../../../lib/contracts/projects/project.ts';
import type { Webhook } from '../../../../../lib/contracts/webhooks/webhook.ts';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { may, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { ShownOnceDialog } from '../../ui/shown-once.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

export function scopeOf(
  { projectId, environmentId }: Pick<Webhook, 'projectId' | 'environmentId'>,
  projects: readonly Project[],
): string {
  const project = projects.find(({ id }) => id === projectId);
  if (projectId === null) return 'everything';
  const environment = project?.environments.find(({ id }) => id === environmentId);
  if (project === undefined) return 'a deleted project';
  return environment === undefined ? project.slug : `${project.slug} / ${environment.slug}`;
}

export function Webhooks({ organization }: OrganizationProps) {
  const [creating, setCreating] = useState(false);
  const params = { orgId: organization.id };
  const allowed = may('list-webhooks', organization.role);
  const loaded = useLoad(organization.id, async signal => {
    if (!allowed) return { webhooks: [], projects: [] };
    const [{ webhooks }, { projects }] = await Promise.all([
      call('GET /v1/webhooks/{orgId}', { params, signal }),
      call('GET /v1/projects/{orgId}', { params, signal }),
    ]);
    return { webhooks, projects };
  });
  if (!allowed)
    return (
      <Page title={`Webhooks · ${organization.name}`} heading="Webhooks">
        <Empty title={whoMay('list-webhooks').replace('do this', 'see webhooks')} />
      </Page>
    );
  return (
    <Page
      title={`Webhooks · ${organization.name}`}
      heading="Webhooks"
      lead="Signed messages about changes. They never hold a value."
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          New webhook
        </Button>
      }
    >
      <Await of={loaded}>
        {({ webhooks, projects }) => (
          <>
            {webhooks.length === 0 ? (
              <Empty title="No webhooks yet." />
            ) : (
              <Table
                caption="Webhooks"
                rows={webhooks}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: 'Address',
                    cell: ({ id, url }) => (
                      <a class="mono key" href={`/organizations/${organization.slug}/webhooks/${id}`}>
                        {url}
                      </a>
                    ),
                  },
                  { title: 'About', cell: webhook => scopeOf(webhook, projects) },
                  {
                    title: 'Events',
                    cell: ({ events }) => (events.length === eventNames.length ? 'all' : events.join(', ')),
                  },
                  { title: 'State', cell: ({ active }) => (active ? 'active' : 'paused') },
                  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
                ]}
              />
            )}
            {creating && (
              <NewWebhook
                orgId={organization.id}
                projects={projects}
                onClose={() => {
                  setCreating(false);
                  void loaded.reload();
                }}
              />
            )}
          </>
        )}
      </Await>
    </Page>
  );
}

export interface WebhookChoice {
  events: readonly EventName[];
  projectId: string;
  environmentId: string;
}

export function WebhookFields({
  projects,
  choice,
  onChange,
}: {
  projects: readonly Project[];
  choice: WebhookChoice;
  onChange: (choice: WebhookChoice) => void;
}) {
  const project = projects.find(({ id }) => id === choice.projectId);
  return (
    <>
      <Select
        label="Project"
        value={choice.projectId}
        options={[['', 'All projects'], ...projects.map(({ id, slug }) => [id, slug] as const)]}
        onChange={projectId => onChange({ ...choice, projectId, environmentId: '' })}
      />
      {project !== undefined && (
        <Select
          label="Environment"
          value={choice.environmentId}
          options={[['', 'All environments'], ...project.environments.map(({ id, slug }) => [id, slug] as const)]}
          onChange={environmentId => onChange({ ...choice, environmentId })}
        />
      )}
      <fieldset class="choices">
        <legend>Events</legend>
        {eventNames.map(name => (
          <Checkbox
            key={name}
            label={name}
            checked={choice.events.includes(name)}
            onChange={on =>
              onChange({
                ...choice,
                events: eventNames.filter(event => (event === name ? on : choice.events.includes(event))),
              })
            }
          />
        ))}
      </fieldset>
    </>
  );
}

function NewWebhook({
  orgId,
  projects,
  onClose,
}: {
  orgId: string;
  projects: readonly Project[];
  onClose: () => void;
}) {
  const [choice, setChoice] = useState<WebhookChoice>({ events: eventNames, projectId: '', environmentId: '' });
  const [secret, setSecret] = useState<string>();
  const create = useAction(async ({ url = '' }: Record<string, string>) => {
    const { signingSecret } = await call('POST /v1/webhooks/{orgId}', {
      params: { orgId },
      body: {
        url,
        events: [...choice.events],
        ...(choice.projectId === '' ? {} : { projectId: choice.projectId }),
        ...(choice.environmentId === '' ? {} : { environmentId: choice.environmentId }),
      },
    });
    setSecret(signingSecret);
  });
  if (secret !== undefined) {
    return <ShownOnceDialog title="Webhook created" name="The signing secret" value={secret} onClose={onClose} />;
  }
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <Form onSubmit={values => void create.run(values)}>
        <Field
          label="Address"
          name="url"
          type="url"
          mono
          required
          maxLength={2048}
          placeholder="https://"
          hint="A public https address. It must answer within 5 seconds; nothing is sent twice."
          error={create.error}
        />
        <WebhookFields projects={projects} choice={choice} onChange={setChoice} />
        <Problem error={create.error} />
        <FormActions busy={create.busy} disabled={choice.events.length === 0} onClose={onClose}>
          Create webhook
        </FormActions>
      </Form>
    </Dialog>
  );
}
