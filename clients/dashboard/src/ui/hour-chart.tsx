import type { ComponentChildren } from 'preact';
import './hour-chart.css';

const height = 120;
const width = 720;

interface HourChartProps {
  /** What the chart shows, in a sentence. A table next to it has the numbers. */
  label: string;
  /** One bar an hour, oldest first. The part is drawn at the bottom of its bar. */
  slots: readonly { all: number; part: number }[];
  /** How the part is drawn. */
  part: 'failed' | 'changed';
  children: ComponentChildren;
}

/** Numbers by hour, with a caption below. */
export function HourChart({ label, slots, part, children }: HourChartProps) {
  const most = Math.max(1, ...slots.map(({ all }) => all));
  const step = width / slots.length;
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${width} ${height + 4}`} role="img" aria-label={label} preserveAspectRatio="none">
        {slots.map((slot, index) => {
          const tall = (slot.all / most) * height;
          const partly = (slot.part / most) * height;
          const x = index * step + step * 0.15;
          return (
            <g key={index}>
              <rect class="bar" x={x} width={step * 0.7} y={height - tall} height={tall} />
              <rect class={part} x={x} width={step * 0.7} y={height - partly} height={partly} />
            </g>
          );
        })}
        <path class="axis" d={`M0 ${height + 0.5}H${width}`} />
      </svg>
      <figcaption>{children}</figcaption>
    </figure>
  );
}
