import { eventNames } from 'virtual:contracts';
import type { EventName } from '@holdfast/contracts/fields/events.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import type { Webhook } from '@holdfast/contracts/webhooks/webhooks.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { type Scope, ScopeFields } from '../../ui/scope-fields.tsx';
import { Select } from '../../ui/select.tsx';

export interface WebhookChoice extends Scope {
  events: readonly EventName[];
  format: Webhook['format'];
}

const formats: readonly (readonly [Webhook['format'], string])[] = [
  ['standard', 'Holdfast’s own'],
  ['slack', 'Slack: one sentence'],
];

const hints: Readonly<Record<Webhook['format'], string>> = {
  standard: 'Everything about the change as JSON, but no value.',
  slack: 'What Slack’s incoming webhooks take: “ada@example.com changed DATABASE_HOST in web-shop/dev.”',
};

interface WebhookFieldsProps {
  projects: readonly Project[];
  choice: WebhookChoice;
  onChange: (choice: WebhookChoice) => void;
}

export function WebhookFields({ projects, choice, onChange }: WebhookFieldsProps) {
  const choose = (name: EventName, on: boolean) =>
    eventNames.filter(event => (event === name ? on : choice.events.includes(event)));
  return (
    <>
      <Select
        label="Format"
        value={choice.format}
        options={formats}
        onChange={format => onChange({ ...choice, format })}
        hint={hints[choice.format]}
      />
      <ScopeFields projects={projects} scope={choice} onChange={scope => onChange({ ...choice, ...scope })} />
      <fieldset class="choices">
        <legend>Events</legend>
        {eventNames.map(name => (
          <Checkbox
            key={name}
            label={name}
            checked={choice.events.includes(name)}
            onChange={on => onChange({ ...choice, events: choose(name, on) })}
          />
        ))}
      </fieldset>
    </>
  );
}
