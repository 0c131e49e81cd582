import { environmentRules } from 'virtual:contracts';
import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import type { Row } from './row.tsx';
import '../ui/key-lines.css';
import './secrets.css';

interface WriteOnlyProps {
  environment: Environment;
  role: Role;
  writable: boolean;
  rows: readonly Row[];
  onUnstage: (key: string) => void;
}

/** The page for a role that can't read the environment: its own staged changes and an explanation. */
export function WriteOnly({ environment, role, writable, rows, onUnstage }: WriteOnlyProps) {
  return (
    <>
      <Empty
        title={
          writable ? `You can write to ${environment.slug}, but not read it.` : `You can’t read ${environment.slug}.`
        }
      >
        <p>
          {writable
            ? `As a ${role}, you can set values here but can’t see which keys exist or what they hold. Setting a key replaces its current value.`
            : `As a ${role}, you can read ${environmentRules.read[role].join(' and ')} environments. Ask an owner or an admin for access.`}
        </p>
      </Empty>
      {rows.length > 0 && (
        <ul class="staged">
          {rows.map(({ key }) => (
            <li key={key}>
              <span class="mono key">{key}</span> <span class="quiet">new value staged</span>
              <Button kind="quiet" label={`Undo the change to ${key}`} onClick={() => onUnstage(key)}>
                Undo
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
