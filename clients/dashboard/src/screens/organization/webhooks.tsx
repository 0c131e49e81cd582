import { eventNames, eventPayloadExample } from 'virtual:contracts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import type { Webhook } from '@holdfast/contracts/webhooks/webhooks.ts';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { Empty } from '../../ui/empty.tsx';
import { Example } from '../../ui/example.tsx';
import { ForRoles } from '../../ui/for-roles.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { scopeInWords } from '../../ui/scope-fields.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NewWebhook } from './new-webhook.tsx';

export function Webhooks({ organization }: OrganizationProps) {
  return (
    <ForRoles organization={organization} operation="list-webhooks" heading="Webhooks" doing="see webhooks">
      <WebhookList organization={organization} />
    </ForRoles>
  );
}

function WebhookList({ organization }: { organization: OwnOrganization }) {
  const params = { orgId: organization.id };
  const loaded = useLoad(organization.id, async signal => {
    const [{ webhooks }, { projects }] = await Promise.all([
      call('GET /v1/webhooks/{orgId}', { params, signal }),
      call('GET /v1/projects/{orgId}', { params, signal }),
    ]);
    return { webhooks, projects };
  });
  return (
    <ListPage
      title={`Webhooks · ${organization.name}`}
      heading="Webhooks"
      lead="Signed messages about changes. They never contain a value."
      loaded={loaded}
      rowsOf={({ webhooks }) => webhooks}
      columns={({ projects }) => columns(organization.slug, projects)}
      empty={<NoWebhooks />}
      add="New webhook"
      to={({ projects }, onClose) => <NewWebhook orgId={organization.id} projects={projects} onClose={onClose} />}
    />
  );
}

const columns = (slug: string, projects: readonly Project[]): readonly Column<Webhook>[] => [
  {
    title: 'Address',
    cell: ({ id, url }) => (
      <a class="mono key" href={`/organizations/${slug}/webhooks/${id}`}>
        {url}
      </a>
    ),
  },
  { title: 'About', cell: webhook => scopeInWords(webhook, projects) },
  { title: 'Events', cell: ({ events }) => (events.length === eventNames.length ? 'all' : events.join(', ')) },
  { title: 'Format', cell: ({ format }) => (format === 'slack' ? 'Slack' : 'standard') },
  { title: 'State', cell: ({ active }) => (active ? 'active' : 'paused') },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const delivery = `POST /holdfast HTTP/1.1
X-Service-Event: ${eventPayloadExample.event}
X-Service-Signature: sha256=…

${JSON.stringify(eventPayloadExample, null, 2)}`;

function NoWebhooks() {
  return (
    <Empty title="No webhooks yet.">
      <p>
        A webhook tells another system when a secret changes, so that it can restart a service or post to a chat.
        Holdfast sends a POST request for each change and signs it, so that the receiver can check who sent it. A chat
        that takes Slack’s incoming webhooks can be the receiver itself.
      </p>
      <Example title="A delivery" text={delivery} />
    </Empty>
  );
}
