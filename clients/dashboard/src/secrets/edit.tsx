import { parseDotenv } from '@holdfast/contracts/fields/dotenv.ts';
import { invisibleIn } from '@holdfast/contracts/fields/invisible.ts';
import { secretKeyPattern, secretKeyRule, valueProblem } from '@holdfast/contracts/fields/secret-rules.ts';
import { useState } from 'preact/hooks';
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
  const keyProblem = problemOfKey(key);
  const invisible = invisibleIn(value);
  const [isSeveral, setIsSeveral] = useState(false);
  /** @returns whether the text is more than a key */
  const takeAssignment = (text: string): boolean => {
    const assignment = value === '' ? assignmentIn(text) : undefined;
    // An input drops line breaks, and so would join the lines.
    setIsSeveral(assignment === undefined && /\S[\r\n]+\s*\S/.test(text));
    if (assignment === undefined) return /\S[\r\n]+\s*\S/.test(text);
    setKey(assignment.key);
    setValue(assignment.value);
    return true;
  };
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
          <Field label="Key" name="key" mono value={key} onInput={setKey} onPaste={takeAssignment} />
        ) : (
          <p class="mono key">{name}</p>
        )}
        {isSeveral && <Alert of="A key has one line. For several secrets, use “Paste a .env”." />}
        {(tried || /[\s=]/.test(key)) && <Alert of={keyProblem && `The key ${keyProblem}.`} />}
        {name === undefined && key !== '' && exists(key) && (
          <p class="notice">This key already exists. It will get a new value.</p>
        )}
        <Field
          label="New value"
          name="value"
          mono
          multiline
          keepsLineBreaks
          rows={5}
          value={value}
          onInput={setValue}
          hint={value === '' ? 'The value may be empty.' : sizeOf(value)}
        />
        <div aria-live="polite">{invisible.length > 0 && <p class="notice">The value {invisible.join(', ')}.</p>}</div>
        <Alert of={problem && `The value ${problem}.`} />
        <FormActions onClose={onClose}>Stage</FormActions>
        <p class="hint">Nothing changes until you review and apply it.</p>
      </form>
    </Dialog>
  );
}

function problemOfKey(key: string): string | undefined {
  if (key === '') return 'is required';
  if (secretKeyPattern.test(key)) return undefined;
  if (secretKeyPattern.test(key.trim())) return 'has a space at its start or end: remove it';
  if (key.includes('=')) return 'contains an equals sign: paste KEY=value here while the value is empty';
  return secretKeyRule;
}

/** A whole assignment that was pasted into the key's field, such as `KEY=value` or `export KEY="value"`. */
function assignmentIn(text: string): { key: string; value: string } | undefined {
  if (!/=./.test(text)) return undefined;
  const { entries, problems } = parseDotenv(text);
  return problems.length === 0 && entries.length === 1 ? entries[0] : undefined;
}

function sizeOf(value: string): string {
  const size = count([...value].length, 'character');
  return value.includes('\r\n') ? `${size}, with CRLF line breaks` : size;
}

function Alert({ of: problem }: { of: string | undefined }) {
  if (problem === undefined) return null;
  return (
    <p class="problem" role="alert">
      {problem}
    </p>
  );
}
