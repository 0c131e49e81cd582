import {
  type DotenvDialect,
  type DotenvImport,
  dotenvDialects,
  readDotenv,
} from '@holdfast/contracts/fields/dotenv-import.ts';
import { describeReaders } from '@holdfast/formats/dotenv/ambiguous.ts';
import { useMemo, useState } from 'preact/hooks';
import { count } from '../ui/count.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { FormActions } from '../ui/form.tsx';
import { Select } from '../ui/select.tsx';
import { useSameUser } from './use-same-user.ts';
import './secrets.css';

interface PasteProps {
  onStage: (entries: readonly { key: string; value: string }[]) => void;
  onClose: () => void;
}

type ReadingChoice = 'as-is' | DotenvDialect;

const choices: readonly (readonly [ReadingChoice, string])[] = [
  ['strict', 'Only lines that all tools read alike'],
  ['as-is', 'By Holdfast’s own rules'],
  ...dotenvDialects.filter(dialect => dialect !== 'strict').map(dialect => [dialect, `As ${dialect} does`] as const),
];

/** Lines of a `.env` file, parsed by the service's rules or as another tool does. */
export function Paste({ onStage, onClose }: PasteProps) {
  const isSameUser = useSameUser(onClose);
  const [text, setText] = useState('');
  const [choice, setChoice] = useState<ReadingChoice>('strict');
  const read = useMemo(() => readChosen(text, choice), [text, choice]);
  if (!isSameUser) return null;
  const { entries } = read;
  const refusals = refusedLines(read, choice);
  const tooMany = entries.length > 1000;
  const isRefused = refusals.length > 0 || entries.length === 0 || tooMany;
  return (
    <Dialog title="Paste a .env" size="sheet" onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault();
          if (isRefused) return;
          onStage(entries);
          onClose();
        }}
      >
        <Field
          label="KEY=value lines"
          name="dotenv"
          mono
          multiline
          keepsLineBreaks
          rows={12}
          value={text}
          onInput={setText}
        />
        {(refusals.length > 0 || choice !== 'strict') && (
          <Select label="Read the lines" value={choice} options={choices} onChange={setChoice} />
        )}
        <div aria-live="polite">
          {refusals.length > 0 && (
            <div class="refusal">
              <p>
                {count(refusals.length, 'line')}{' '}
                {read.problems.length > 0 ? 'can’t be read' : 'read differently by tools'}:
              </p>
              <ul class="line-problems">
                {refusals.map(({ line, message }) => (
                  <li key={`${line} ${message}`}>
                    <span class="mono">line {line}</span> {message}
                  </li>
                ))}
              </ul>
            </div>
          )}
          {tooMany && <p class="problem">You can change at most 1,000 keys at once.</p>}
        </div>
        <FormActions disabled={isRefused} onClose={onClose}>
          Stage {count(entries.length, 'key')}
        </FormActions>
      </form>
    </Dialog>
  );
}

function readChosen(text: string, choice: ReadingChoice): DotenvImport {
  return readDotenv(text, choice === 'strict' || choice === 'as-is' ? undefined : choice);
}

function refusedLines({ problems, ambiguous = [] }: DotenvImport, choice: ReadingChoice) {
  if (problems.length > 0 || choice === 'as-is') return problems;
  return ambiguous.map(({ line, key, readers }) => ({ line, message: `${key}: ${describeReaders(readers)}` }));
}
