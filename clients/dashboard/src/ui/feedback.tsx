import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Refusal } from '../api.ts';
import type { Loaded } from '../load.ts';
import { Button } from './controls.tsx';

/** What was refused, why, and what to quote when asking about it. A rate limit counts down. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const wait = error instanceof Refusal ? error.retryAfterSeconds : undefined;
  const [left, setLeft] = useState(wait ?? 0);
  useEffect(() => {
    setLeft(wait ?? 0);
    if (wait === undefined) return;
    const timer = window.setInterval(() => setLeft(seconds => Math.max(0, seconds - 1)), 1000);
    return () => window.clearInterval(timer);
  }, [error, wait]);
  if (error === undefined) return null;
  const refusal = error instanceof Refusal ? error : undefined;
  const general = refusal?.problems.filter(({ path }) => path === '') ?? [];
  return (
    <div class="refusal" role="alert">
      <p>
        {refusal === undefined ? 'Something in this page went wrong.' : refusal.message}
        {general.length > 0 && ` ${general.map(({ message }) => message).join('; ')}`}
      </p>
      {refusal?.code === 'second_factor_required' && (
        <p>
          <a href="/account">Add a second factor</a>, or log in with yours.
        </p>
      )}
      {left > 0 && <p>Try again in {duration(left)}.</p>}
      {refusal?.requestId !== undefined && (
        <p class="request-id">
          Request <code>{refusal.requestId}</code>
        </p>
      )}
      {retry !== undefined && left === 0 && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

function duration(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

/** Shows what was loaded; until then nothing, then, after a moment, where it will stand; a refusal with a way to retry. */
export function Await<T>({
  of,
  children,
  rows = 4,
}: {
  of: Loaded<T>;
  children: (data: T) => ComponentChildren;
  rows?: number;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error !== undefined) return <Problem error={of.error} retry={() => void of.reload()} />;
  return <Skeleton rows={rows} />;
}

function Skeleton({ rows }: { rows: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

const said = signal<{ text: string; at: number } | undefined>(undefined);

/** Says briefly that something was done, aloud as well. Never a value. */
export function say(text: string): void {
  const at = Date.now();
  said.value = { text, at };
  window.setTimeout(() => {
    if (said.value?.at === at) said.value = undefined;
  }, 5000);
}

/** The dialogs that are open, the topmost last. What is said belongs there: its backdrop covers all else. */
export const openDialogs = signal<readonly symbol[]>([]);

export function Said({ within }: { within?: symbol }) {
  const isOnTop = openDialogs.value.at(-1) === within;
  return (
    <div class="said" role="status" aria-live="polite">
      {isOnTop && said.value !== undefined && <p>{said.value.text}</p>}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
