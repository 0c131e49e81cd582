import { useState } from 'preact/hooks';
import { parseDotenv } from '../../../../lib/contracts/fields/dotenv.ts';
import { count } from '../ui/count.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { FormActions } from '../ui/form.tsx';
import './paste.css';

interface PasteProps {
  onStage: (entries: readonly { key: string; value: string }[]) => void;
  onClose: () => void;
}

/** Lines of a `.env` file, parsed by the service's rules. */
export function Paste({ onStage, onClose }: PasteProps) {
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
          {tooMany && <p class="problem">You can change at most 1,000 keys at once.</p>}
        </div>
        <FormActions disabled={problems.length > 0 || entries.length === 0 || tooMany} onClose={onClose}>
          Stage {count(entries.length, 'key')}
        </FormActions>
      </form>
    </Dialog>
  );
}
