import { useRef, useState } from 'preact/hooks';
import { useAction } from '../load.ts';
import { Button } from './button.tsx';

/** Copies on click and confirms it. The text is only fetched then. */
export function CopyButton({
  text,
  label = 'Copy',
  what,
  kind = 'plain',
}: {
  text: () => string | Promise<string>;
  label?: string;
  /** What is copied, if several buttons have the same label. Only read by screen readers. */
  what?: string;
  kind?: 'plain' | 'quiet' | 'primary';
}) {
  const [done, setDone] = useState(false);
  const timer = useRef<number | undefined>(undefined);
  const copy = useAction(async () => {
    await navigator.clipboard.writeText(await text());
    setDone(true);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setDone(false), 2000);
  });
  return (
    <Button kind={kind} busy={copy.busy} onClick={() => void copy.run()}>
      <span aria-live="polite">{copy.error !== undefined ? 'Could not copy' : done ? 'Copied' : label}</span>
      {what !== undefined && <span class="visually-hidden"> {what}</span>}
    </Button>
  );
}
