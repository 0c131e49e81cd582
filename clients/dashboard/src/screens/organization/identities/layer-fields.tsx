import { maximumIdentityEnvironments } from '@holdfast/contracts/fields/identity-limits.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { Button } from '../../../ui/button.tsx';
import { type Scope, scopeBody } from '../../../ui/scope-fields.tsx';
import { Select } from '../../../ui/select.tsx';

interface LayerFieldsProps {
  projects: readonly Project[];
  /** The environment that they lie below. */
  environmentId: string;
  /** The ids of environments, the lowest layer first. Empty until one is chosen. */
  layers: readonly string[];
  onChange: (layers: readonly string[]) => void;
}

/** The environments that an identity reads together with its own. */
export function LayerFields({ projects, environmentId, layers, onChange }: LayerFieldsProps) {
  const all = projects.flatMap(project =>
    project.environments.map(({ id, slug }) => [id, `${project.slug} / ${slug}`] as const),
  );
  const isFree = (id: string) => id !== environmentId && !layers.includes(id);
  return (
    <>
      {layers.map((chosen, index) => (
        <div class="field-action" key={index}>
          <Select
            label={`Layer ${index + 1}`}
            value={chosen}
            required
            options={[['', 'Choose an environment'], ...all.filter(([id]) => id === chosen || isFree(id))]}
            onChange={id => onChange(layers.with(index, id))}
          />
          <Button
            kind="quiet"
            label={`Remove layer ${index + 1}`}
            onClick={() => onChange(layers.filter((_, other) => other !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      {layers.length + 1 < maximumIdentityEnvironments && all.some(([id]) => isFree(id)) && (
        <div class="actions">
          <Button kind="quiet" onClick={() => onChange([...layers, ''])}>
            Add an environment that lies below it
          </Button>
        </div>
      )}
    </>
  );
}

/** The chosen limits, in the form of the API. The environment itself comes last, as on top of its layers. */
export function limitsBody(scope: Scope, layers: readonly string[]) {
  const below = layers.filter(id => id !== '' && id !== scope.environmentId);
  if (scope.environmentId === '' || below.length === 0) return scopeBody(scope);
  return { environmentIds: [...below, scope.environmentId] };
}
