import { useId } from 'preact/hooks';
import './example.css';

/** A usage example, as text. */
export function Example({ title, text }: { title: string; text: string }) {
  const id = useId();
  return (
    <figure class="example" aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <pre class="mono">{text}</pre>
    </figure>
  );
}
