import { environmentRules } from 'virtual:contracts';
import type { Role } from '../../../../lib/contracts/fields/role.ts';
import type { Environment } from '../../../../lib/contracts/projects/environment.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import type { Row } from './row.tsx';
import '../ui/key-lines.css';
import './write-only.css';

interface WriteOnlyProps {
  environment: Environment;
  role: Role;
  writable: boolean;
  rows: readonly Row[];
  onUnstage: (key: string) => void;
}

/** Who may not read sees what they staged, and why nothing else. */
export function WriteOnly({ environment, role, writable, rows, onUnstage }: WriteOnlyProps) {
  return (
    <>
      <Empty
        title={writable ? `You can write ${environment.slug}, but not read it.` : `You can’t read ${environment.slug}.`}
      >
        <p>
          {writable
            ? `As a ${role} you set values here without seeing which keys there are, or what they hold. What you set replaces what is there.`
            : `A ${role} reads ${environmentRules.read[role].join(' and ')} environments. Ask an owner or an admin.`}
        </p>
      </Empty>
      {rows.length > 0 && (
        <ul class="staged">
          {rows.map(({ key }) => (
            <li key={key}>
              <span class="mono key">{key}</span> <span class="quiet">new value staged</span>
              <Button kind="quiet" label={`Take back the change of ${key}`} onClick={() => onUnstage(key)}>
                Take back
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
