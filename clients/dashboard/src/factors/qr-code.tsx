import { qrModules } from './qr-modules.ts';
import './qr-code.css';

/** Dark on light in both themes, because some cameras read nothing else. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const modules = qrModules(text);
  const quiet = 4;
  const size = modules.length + 2 * quiet;
  const dark = modules.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + quiet} ${y + quiet}h1v1h-1z`] : [])),
  );
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={dark.join('')} />
    </svg>
  );
}
