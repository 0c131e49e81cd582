import { parseDotenv } from '@holdfast/contracts/fields/dotenv.ts';
import { invisibleIn } from '@holdfast/contracts/fields/invisible.ts';
import { secretKeyPattern, secretKeyRule, valueProblem } from '@holdfast/contracts/fields/secret-rules.ts';
import { useRef, useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { count } from '../ui/count.ts';
import { Field } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';
import { type Alphabet, alphabets, generate } from './generate.ts';
import { References } from './references.tsx';
import { useHiding } from './shown.tsx';
import type { StagedValue } from './staging.ts';
import type { Editable } from './use-value.ts';

interface EditProps {
  /** The key whose value is edited; without it, a key is added. */
  name: string | undefined;
  /** The value to begin with: empty, unless the user asked for another one. */
  from: Editable;
  exists: (key: string) => boolean;
  /** Whether the environment has a key once the stage is applied; undefined if its keys are not known. */
  willHave: (key: string) => boolean | undefined;
  onStage: (staged: StagedValue, another: boolean) => void;
  onCancel: () => void;
}

/** Edits a value or adds a key. A stored value that nobody has edited is hidden like any other. */
export function Edit({ name, from, exists, willHave, onStage, onCancel }: EditProps) {
  const [key, setKey] = useState(name ?? '');
  const [value, setValue] = useState(from.text);
  const [expand, setExpand] = useState(from.expand);
  const [tried, setTried] = useState(false);
  /** Whether an empty value awaits the user's consent, and whether another key follows. */
  const [emptyThen, setEmptyThen] = useState<{ another: boolean }>();
  useHiding(from.text !== '', () => {
    if (value === from.text) onCancel();
  });
  const keyProblem = problemOfKey(key);
  const stage = (another: boolean) => {
    setTried(true);
    if (keyProblem !== undefined || valueProblem(value) !== undefined) return;
    if (value === '') setEmptyThen({ another });
    else onStage({ key, value, ...(expand && { expand }) }, another);
  };
  return (
    <>
      <form
        onSubmit={event => {
          event.preventDefault();
          stage(false);
        }}
      >
        {name === undefined && (
          <KeyField
            value={key}
            takesAssignment={value === ''}
            onInput={setKey}
            onAssignment={assignment => {
              setKey(assignment.key);
              setValue(assignment.value);
            }}
          />
        )}
        {(tried || /[\s=]/.test(key)) && <Alert of={keyProblem && `The key ${keyProblem}.`} />}
        {name === undefined && key !== '' && exists(key) && (
          <p class="notice">This key already exists. It will get a new value.</p>
        )}
        <ValueField value={value} autofocus={name !== undefined} onInput={setValue} />
        <References {...{ value, expand, willHave }} name={key} onExpand={setExpand} />
        <Generate onGenerate={setValue} />
        <div class="actions">
          <Button type="submit" kind="primary">
            Stage
          </Button>
          <Button onClick={() => stage(true)}>Stage and add another</Button>
          <Button kind="quiet" onClick={onCancel}>
            Cancel
          </Button>
        </div>
        <p class="hint">Nothing changes until you review and apply it.</p>
      </form>
      {emptyThen !== undefined && (
        <Confirm
          title="Stage an empty value?"
          action="Stage an empty value"
          danger={false}
          onClose={() => setEmptyThen(undefined)}
          onConfirm={async () => onStage({ key, value: '' }, emptyThen.another)}
        >
          <p>
            <span class="mono key">{key}</span> will exist with no text in it. To remove the key, delete it instead.
          </p>
        </Confirm>
      )}
    </>
  );
}

interface KeyFieldProps {
  value: string;
  /** Whether a pasted assignment is taken apart: only while there is no value that it would replace. */
  takesAssignment: boolean;
  onInput: (key: string) => void;
  onAssignment: (assignment: { key: string; value: string }) => void;
}

/** The key of a new secret. */
function KeyField({ value, takesAssignment, onInput, onAssignment }: KeyFieldProps) {
  const [isSeveral, setIsSeveral] = useState(false);
  /** @returns whether the text is more than a key */
  const onPaste = (text: string): boolean => {
    const assignment = takesAssignment ? assignmentIn(text) : undefined;
    // An input drops line breaks, and so would join the lines.
    const hasLines = /\S[\r\n]+\s*\S/.test(text);
    setIsSeveral(assignment === undefined && hasLines);
    if (assignment !== undefined) onAssignment(assignment);
    return assignment !== undefined || hasLines;
  };
  return (
    <>
      <Field label="Key" name="key" mono autofocus value={value} onInput={onInput} onPaste={onPaste} />
      {isSeveral && <Alert of="A key has one line. For several secrets, use “Paste a .env”." />}
    </>
  );
}

interface ValueFieldProps {
  value: string;
  autofocus: boolean;
  onInput: (value: string) => void;
}

/** The new value, with its size and what is wrong with it. */
function ValueField({ value, autofocus, onInput }: ValueFieldProps) {
  const problem = valueProblem(value);
  const invisible = invisibleIn(value);
  return (
    <>
      <Field
        label="New value"
        name="value"
        mono
        multiline
        keepsLineBreaks
        autofocus={autofocus}
        rows={Math.max(5, Math.min(24, value.split('\n').length + 1))}
        value={value}
        onInput={onInput}
        hint={value === '' ? 'You confirm an empty value before it is staged.' : sizeOf(value)}
      />
      <div aria-live="polite">{invisible.length > 0 && <p class="notice">The value {invisible.join(', ')}.</p>}</div>
      <Alert of={problem && `The value ${problem}.`} />
    </>
  );
}

const lengths = { min: 8, max: 512 };

function Generate({ onGenerate }: { onGenerate: (value: string) => void }) {
  const [length, setLength] = useState('32');
  const [alphabet, setAlphabet] = useState<Alphabet>('plain');
  const options = useRef<HTMLDivElement>(null);
  const submit = () => {
    const field = options.current?.querySelector('input');
    if (field?.reportValidity()) onGenerate(generate(Number(length), alphabet));
  };
  return (
    <details>
      <summary>Generate a value</summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Enter in a field generates instead of staging */}
      <div
        class="generate"
        ref={options}
        onKeyDown={event => {
          if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
          event.preventDefault();
          submit();
        }}
      >
        <Field label="Length" name="length" type="number" {...lengths} required value={length} onInput={setLength} />
        <Select
          label="Characters"
          value={alphabet}
          options={Object.entries(alphabets).map(([name, [label]]) => [name as Alphabet, label] as const)}
          onChange={setAlphabet}
        />
        <Button onClick={submit}>Generate</Button>
      </div>
    </details>
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
