import { useState } from 'preact/hooks';
import { parseDotenv } from '../../../../lib/contracts/fields/dotenv.ts';
import { secretKeyPattern, secretKeyRule, valueProblem } from '../../../../lib/contracts/fields/secret-rules.ts';
import { count } from '../ui/count.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { FormActions } from '../ui/form.tsx';
import './edit.css';

/** A new value, or a new key. The field begins empty: what is there now is never put into it. */
export function Edit({
  name,
  exists,
  onStage,
  onClose,
}: {
  name?: string | undefined;
  exists: (key: string) => boolean;
  onStage: (key: string, value: string) => void;
  onClose: () => void;
}) {
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
        {tried && keyProblem !== undefined && (
          <p class="problem" role="alert">
            The key {keyProblem}.
          </p>
        )}
        {name === undefined && key !== '' && exists(key) && (
          <p class="notice">This key is there already; it gets a new value.</p>
        )}
        <Field
          label="New value"
          name="value"
          mono
          multiline
          rows={5}
          value={value}
          onInput={setValue}
          hint={value === '' ? 'An empty value is a value.' : count([...value].length, 'character')}
        />
        {problem !== undefined && (
          <p class="problem" role="alert">
            The value {problem}.
          </p>
        )}
        <FormActions onClose={onClose}>Stage</FormActions>
        <p class="hint">Nothing changes before you review and apply it.</p>
      </form>
    </Dialog>
  );
}

/** Lines of a `.env` file, read by the service's own rules. */
export function Paste({
  onStage,
  onClose,
}: {
  onStage: (entries: readonly { key: string; value: string }[]) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const { entries, problems } = parseDotenv(text);
  const tooMany = entries.length > 1000;
  return (
    <Dialog title="Paste a .env" size="sheet" onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault();
          if (problems.length > 0 || entries.length === 0 || tooMany) return;
          onStage(entries);
          onClose();
        }}
      >
        <Field label="KEY=value lines" name="dotenv" mono multiline rows={12} value={text} onInput={setText} />
        <div aria-live="polite">
          {problems.length > 0 && (
            <div class="refusal">
              <p>{count(problems.length, 'line')} can’t be read:</p>
              <ul class="line-problems">
                {problems.map(problem => (
                  <li key={`${problem.line} ${problem.message}`}>
                    <span class="mono">line {problem.line}</span> {problem.message}
                  </li>
                ))}
              </ul>
            </div>
          )}
          {tooMany && <p class="problem">At most 1,000 keys change at once.</p>}
        </div>
        <FormActions disabled={problems.length > 0 || entries.length === 0 || tooMany} onClose={onClose}>
          Stage {count(entries.length, 'key')}
        </FormActions>
      </form>
    </Dialog>
  );
}
