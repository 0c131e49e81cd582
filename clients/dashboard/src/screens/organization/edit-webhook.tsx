import type { Project } from '@holdfast/contracts/projects/projects.ts';
import type { Webhook } from '@holdfast/contracts/webhooks/webhooks.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';
import { type WebhookChoice, WebhookFields } from './webhook-fields.tsx';

interface EditWebhookProps {
  webhook: Webhook;
  projects: readonly Project[];
  params: { orgId: string; webhookId: string };
  onSaved: () => Promise<void>;
}

export function EditWebhook({ webhook, projects, params, onSaved }: EditWebhookProps) {
  const [choice, setChoice] = useState<WebhookChoice>({
    events: webhook.events,
    format: webhook.format,
    projectId: webhook.projectId ?? '',
    environmentId: webhook.environmentId ?? '',
  });
  const [active, setActive] = useState(webhook.active);
  const save = useAction(async ({ url = '' }: Record<string, string>) => {
    const body = {
      url,
      events: [...choice.events],
      format: choice.format,
      projectId: choice.projectId || null,
      environmentId: choice.environmentId || null,
      active,
    };
    await call('PATCH /v1/webhooks/{orgId}/{webhookId}', { params, body });
    showToast('Webhook saved.');
    await onSaved();
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
        <Checkbox label="Active" checked={active} onChange={setActive} hint="A paused webhook only receives pings." />
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
