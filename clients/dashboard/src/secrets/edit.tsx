import { useState } from 'preact/hooks';
import { secretKeyPattern, secretKeyRule, valueProblem } from '../../../../lib/contracts/fields/secret-rules.ts';
import { count } from '../ui/count.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { FormActions } from '../ui/form.tsx';

interface EditProps {
  name?: string | undefined;
  exists: (key: string) => boolean;
  onStage: (key: string, value: string) => void;
  onClose: () => void;
}

/** Edits a value or adds a key. The field starts empty: it never contains the current value. */
export function Edit({ name, exists, onStage, onClose }: EditProps) {
  const [key, setKey] = useState(name ?? '');
  const [value, setValue] = useState('');
  const [tried, setTried] = useState(false);
  const keyProblem = key === '' ? 'is required' : secretKeyPattern.test(key) ? undefined : secretKeyRule;
  const problem = valueProblem(value);
  return (
    <Dialog title={name === undefined ? 'Add a secret' : 'New value'} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault();
          setTried(true);
          if (keyProblem !== undefined || problem !== undefined) return;
          onStage(key, value);
          onClose();
        }}
      >
        {name === undefined ? (
          <Field label="Key" name="key" mono value={key} onInput={setKey} maxLength={256} />
        ) : (
          <p class="mono key">{name}</p>
        )}
        {tried && <Alert of={keyProblem && `The key ${keyProblem}.`} />}
        {name === undefined && key !== '' && exists(key) && (
          <p class="notice">This key already exists. It will get a new value.</p>
        )}
        <Field
          label="New value"
          name="value"
          mono
          multiline
          rows={5}
          value={value}
          onInput={setValue}
          hint={value === '' ? 'The value may be empty.' : count([...value].length, 'character')}
        />
        <Alert of={problem && `The value ${problem}.`} />
        <FormActions onClose={onClose}>Stage</FormActions>
        <p class="hint">Nothing changes until you review and apply it.</p>
      </form>
    </Dialog>
  );
}

function Alert({ of: problem }: { of: string | undefined }) {
  if (problem === undefined) return null;
  return (
    <p class="problem" role="alert">
      {problem}
    </p>
  );
}
