import { generate } from 'lean-qr/nano';
import './qr-code.css';

/** Dark on light in both themes, because some cameras read nothing else. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = generate(text);
  const quiet = 4;
  const size = code.size + 2 * quiet;
  const rows = Array.from({ length: code.size }, (_, index) => index);
  const dark = rows.flatMap(y => rows.flatMap(x => (code.get(x, y) ? [`M${x + quiet} ${y + quiet}h1v1h-1z`] : [])));
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={dark.join('')} />
    </svg>
  );
}
