import { useId } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import './example.css';

/** A usage example, as text to copy. */
export function Example({ title, text }: { title: string; text: string }) {
  const id = useId();
  return (
    <figure class="example" aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <CopyButton kind="quiet" what={title} text={() => text} />
      <pre class="mono">{text}</pre>
    </figure>
  );
}
