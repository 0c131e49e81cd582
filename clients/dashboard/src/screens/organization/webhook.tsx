import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Delivery } from '@holdfast/contracts/webhooks/webhooks.ts';
import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { navigate } from '../../router.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ForRoles } from '../../ui/for-roles.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { EditWebhook } from './edit-webhook.tsx';

type Found = Answer<'GET /v1/webhooks/{orgId}/{webhookId}'>;
interface Params {
  orgId: string;
  webhookId: string;
}

export function WebhookScreen({ organization, parameters }: OrganizationProps) {
  return (
    <ForRoles organization={organization} operation="get-webhook" heading="Webhook" doing="see webhooks">
      <OneWebhook organization={organization} params={{ orgId: organization.id, webhookId: parameters.id ?? '' }} />
    </ForRoles>
  );
}

function OneWebhook({ organization, params }: { organization: OwnOrganization; params: Params }) {
  const loaded = useLoad(params.webhookId, async signal => {
    const [found, { projects }] = await Promise.all([
      call('GET /v1/webhooks/{orgId}/{webhookId}', { params, signal }),
      call('GET /v1/projects/{orgId}', { params: { orgId: organization.id }, signal }),
    ]);
    return { ...found, projects };
  });
  const ping = useAction(() => sendPing(params, loaded.reload));
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
        {({ webhook, projects, deliveries }) => (
          <>
            <Deliveries deliveries={deliveries} active={webhook.active} params={params} reload={loaded.reload} />
            <EditWebhook webhook={webhook} projects={projects} params={params} onSaved={loaded.reload} />
            <DeleteWebhook slug={organization.slug} params={params} />
          </>
        )}
      </Await>
    </Page>
  );
}

async function sendPing(params: Params, reload: () => Promise<void>): Promise<void> {
  const { deliveryId } = await call('POST /v1/webhooks/{orgId}/{webhookId}/test', { params });
  showToast('Ping queued.');
  await reloadWhenLogged(deliveryId, params, reload);
}

async function sendAgain(deliveryId: string, params: Params, reload: () => Promise<void>): Promise<void> {
  const { delivery } = await call('POST /v1/webhooks/{orgId}/{webhookId}/deliveries/{deliveryId}/redeliver', {
    params: { ...params, deliveryId },
  });
  showToast('Delivery queued again.');
  await reloadWhenLogged(delivery.id, params, reload);
}

/** An entry appears once the receiver answers, or after five seconds. */
async function reloadWhenLogged(deliveryId: string, params: Params, reload: () => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < 14; attempt += 1) {
    await new Promise(resolve => window.setTimeout(resolve, 500));
    const now: Found = await call('GET /v1/webhooks/{orgId}/{webhookId}', { params });
    if (now.deliveries.some(({ id }) => id === deliveryId)) return reload();
  }
}

interface DeliveriesProps {
  deliveries: readonly Delivery[];
  active: boolean;
  params: Params;
  reload: () => Promise<void>;
}

function Deliveries({ deliveries, active, params, reload }: DeliveriesProps) {
  const again = useAction((deliveryId: string) => sendAgain(deliveryId, params, reload));
  const columns: readonly Column<Delivery>[] = [
    ...deliveryColumns,
    {
      title: 'Again',
      cell: ({ id, redeliveryOf }) => (
        <>
          {active && (
            <Button kind="quiet" busy={again.busy} onClick={() => void again.run(id)}>
              Send again
            </Button>
          )}
          {redeliveryOf !== undefined && <span title={`The body of delivery ${redeliveryOf}`}>sent again</span>}
        </>
      ),
    },
  ];
  return (
    <Section title="Deliveries" lead="The last 20, newest first.">
      <Problem error={again.error} />
      {deliveries.length === 0 ? (
        <Empty title="Nothing has been sent yet.">
          <p>A ping shows whether the receiver responds.</p>
        </Empty>
      ) : (
        <Table caption="Deliveries" rows={deliveries} keyOf={({ id }) => id} columns={columns} />
      )}
    </Section>
  );
}

const deliveryColumns: readonly Column<Delivery>[] = [
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
];

function DeleteWebhook({ slug, params }: { slug: string; params: Params }) {
  const [confirming, setConfirming] = useState(false);
  return (
    <Section title="Delete" danger>
      <Button kind="danger" onClick={() => setConfirming(true)}>
        Delete webhook
      </Button>
      {confirming && (
        <Confirm
          title="Delete webhook"
          action="Delete"
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            await call('DELETE /v1/webhooks/{orgId}/{webhookId}', { params });
            navigate(`/organizations/${slug}/webhooks`);
          }}
        >
          <p>Nothing more is sent to this address. The log of deliveries is deleted too.</p>
        </Confirm>
      )}
    </Section>
  );
}
