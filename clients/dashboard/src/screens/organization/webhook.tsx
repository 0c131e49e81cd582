import { useState } from 'preact/hooks';
import type { Project } from '../../../../../lib/contracts/projects/project.ts';
import type { Webhook } from '../../../../../lib/contracts/webhooks/webhook.ts';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { navigate } from '../../router.ts';
import { may, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { type WebhookChoice, WebhookFields } from './webhooks.tsx';

export function WebhookScreen({ organization, parameters }: OrganizationProps) {
  const params = { orgId: organization.id, webhookId: parameters.id ?? '' };
  const allowed = may('get-webhook', organization.role);
  const [deleting, setDeleting] = useState(false);
  const loaded = useLoad(params.webhookId, async signal => {
    if (!allowed) return undefined;
    const [found, { projects }] = await Promise.all([
      call('GET /v1/webhooks/{orgId}/{webhookId}', { params, signal }),
      call('GET /v1/projects/{orgId}', { params: { orgId: organization.id }, signal }),
    ]);
    return { ...found, projects };
  });
  const ping = useAction(async () => {
    const { deliveryId } = await call('POST /v1/webhooks/{orgId}/{webhookId}/test', { params });
    showToast('A ping is on its way.');
    // The delivery is logged when its answer came or five seconds are over.
    for (let attempt = 0; attempt < 14; attempt += 1) {
      await new Promise(resolve => window.setTimeout(resolve, 500));
      const now = await call('GET /v1/webhooks/{orgId}/{webhookId}', { params });
      if (!now.deliveries.some(({ id }) => id === deliveryId)) continue;
      await loaded.reload();
      return;
    }
  });
  if (!allowed)
    return (
      <Page title={`Webhook · ${organization.name}`} heading="Webhook">
        <Empty title={whoMay('get-webhook').replace('do this', 'see webhooks')} />
      </Page>
    );
  return (
    <Page
      title={`Webhook · ${organization.name}`}
      heading="Webhook"
      lead={<span class="mono">{loaded.data?.webhook.url}</span>}
      actions={
        <Button busy={ping.busy} onClick={() => void ping.run()}>
          Send a ping
        </Button>
      }
    >
      <Problem error={ping.error} />
      <Await of={loaded}>
        {found =>
          found === undefined ? null : (
            <>
              <Section title="Deliveries" lead="The last 20, newest first.">
                {found.deliveries.length === 0 ? (
                  <Empty title="Nothing was sent yet." />
                ) : (
                  <Table
                    caption="Deliveries"
                    rows={found.deliveries}
                    keyOf={({ id }) => id}
                    columns={[
                      { title: 'Event', cell: ({ event }) => <span class="mono">{event}</span> },
                      {
                        title: 'Answer',
                        cell: ({ success, statusCode, error }) => (
                          <span class={success ? 'good' : 'bad'}>
                            {success ? '✓' : '×'} {statusCode ?? ''} {error ?? ''}
                          </span>
                        ),
                      },
                      {
                        title: 'Took',
                        number: true,
                        cell: ({ responseTimeMs }) => (responseTimeMs === null ? '–' : `${responseTimeMs} ms`),
                      },
                      { title: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
                    ]}
                  />
                )}
              </Section>
              <Edit
                webhook={found.webhook}
                projects={found.projects}
                params={params}
                onSaved={() => void loaded.reload()}
              />
              <Section title="Delete" danger>
                <Button kind="danger" onClick={() => setDeleting(true)}>
                  Delete webhook
                </Button>
              </Section>
            </>
          )
        }
      </Await>
      {deleting && (
        <Confirm
          title="Delete webhook"
          action="Delete"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await call('DELETE /v1/webhooks/{orgId}/{webhookId}', { params });
            navigate(`/organizations/${organization.slug}/webhooks`);
          }}
        >
          <p>Nothing more is sent to it, and its log goes with it.</p>
        </Confirm>
      )}
    </Page>
  );
}

function Edit({
  webhook,
  projects,
  params,
  onSaved,
}: {
  webhook: Webhook;
  projects: readonly Project[];
  params: { orgId: string; webhookId: string };
  onSaved: () => void;
}) {
  const [choice, setChoice] = useState<WebhookChoice>({
    events: webhook.events,
    projectId: webhook.projectId ?? '',
    environmentId: webhook.environmentId ?? '',
  });
  const [active, setActive] = useState(webhook.active);
  const save = useAction(async ({ url = '' }: Record<string, string>) => {
    await call('PATCH /v1/webhooks/{orgId}/{webhookId}', {
      params,
      body: {
        url,
        events: [...choice.events],
        projectId: choice.projectId || null,
        environmentId: choice.environmentId || null,
        active,
      },
    });
    showToast('The webhook is saved.');
    onSaved();
  });
  return (
    <Section title="Settings">
      <Form onSubmit={values => void save.run(values)}>
        <Field
          label="Address"
          name="url"
          type="url"
          mono
          required
          maxLength={2048}
          value={webhook.url}
          error={save.error}
        />
        <WebhookFields projects={projects} choice={choice} onChange={setChoice} />
        <Checkbox label="Active" checked={active} onChange={setActive} hint="A paused webhook gets pings alone." />
        <Problem error={save.error} />
        <div class="actions">
          <Button type="submit" busy={save.busy} disabled={choice.events.length === 0}>
            Save
          </Button>
        </div>
      </Form>
    </Section>
  );
}
