import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';
import { type Choice, type Stage, type Staged, touchedKeys } from './stage.ts';
import type { Moved } from './use-review.ts';
import './moving.css';

interface MovingProps {
  stage: Stage;
  moved: Moved;
  readable: boolean;
  environment: Environment;
  onContinue: (choices: Readonly<Record<string, Choice>>) => void;
}

/** The environment changed after the work was staged. Nothing is resent until the user decides. */
export function Moving({ stage, moved, readable, environment, onContinue }: MovingProps) {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const touched = readable ? touchedKeys(stage, moved.versions) : [];
  const open = touched.filter(key => choices[key] === undefined);
  return (
    <div class="moved">
      <h3>
        <span class="mono">{environment.slug}</span> went from revision {stage.revision} to {moved.revision} while you
        were working.
      </h3>
      <p>None of your changes were applied, and none are lost.</p>
      {!readable && <p>You can’t read this environment, so Holdfast can’t tell you which keys changed.</p>}
      {readable && touched.length === 0 && <p>Nobody else changed the keys that you staged.</p>}
      {touched.length > 0 && (
        <>
          <p>Someone else changed these keys too. Choose which change to keep.</p>
          <ul class="conflicts">
            {touched.map(key => (
              <li key={key}>
                <Conflict
                  name={key}
                  moved={moved}
                  staged={stage.changes.get(key)}
                  choice={choices[key]}
                  onChoose={choice => setChoices({ ...choices, [key]: choice })}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="actions">
        <Button kind="primary" disabled={open.length > 0} onClick={() => onContinue(choices)}>
          Continue on revision {moved.revision}
        </Button>
        {open.length > 0 && <span class="quiet">{open.length} to decide</span>}
      </div>
    </div>
  );
}

interface ConflictProps {
  name: string;
  moved: Moved;
  staged: Staged | undefined;
  choice: Choice | undefined;
  onChoose: (choice: Choice) => void;
}

/** A key with conflicting changes: keep theirs or mine. */
function Conflict({ name, moved, staged, choice, onChoose }: ConflictProps) {
  const by = moved.by.get(name);
  const theirs =
    by === undefined ? (
      'deleted'
    ) : (
      <>
        version {moved.versions.get(name)} by {by.email}, <Time at={by.at} />
      </>
    );
  const options = [
    ['theirs', 'Theirs', theirs],
    ['mine', 'Mine', staged?.kind === 'delete' ? 'delete it' : 'the value I staged'],
  ] as const;
  return (
    <fieldset>
      <legend class="mono key">{name}</legend>
      {options.map(([option, title, detail]) => (
        <label key={option}>
          <input type="radio" name={`choice-${name}`} checked={choice === option} onChange={() => onChoose(option)} />
          <span>
            {title} <span class="quiet">{detail}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
