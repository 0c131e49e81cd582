import { eventNames } from 'virtual:contracts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';
import { everywhere, scopeBody } from '../../ui/scope-fields.tsx';
import { ShownOnceDialog } from '../../ui/shown-once.tsx';
import { type WebhookChoice, WebhookFields } from './webhook-fields.tsx';

interface NewWebhookProps {
  orgId: string;
  projects: readonly Project[];
  onClose: () => void;
}

export function NewWebhook({ orgId, projects, onClose }: NewWebhookProps) {
  const [choice, setChoice] = useState<WebhookChoice>({ events: eventNames, format: 'standard', ...everywhere });
  const [secret, setSecret] = useState<string>();
  const create = useAction(async ({ url = '' }: Record<string, string>) => {
    const { signingSecret } = await call('POST /v1/webhooks/{orgId}', {
      params: { orgId },
      body: { url, events: [...choice.events], format: choice.format, ...scopeBody(choice) },
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
          hint="A public https address that answers within 5 seconds. A failed delivery is not retried."
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
