import { eventNames } from 'virtual:contracts';
import type { EventName } from '@holdfast/contracts/fields/events.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { type Scope, ScopeFields } from '../../ui/scope-fields.tsx';

export interface WebhookChoice extends Scope {
  events: readonly EventName[];
}

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
