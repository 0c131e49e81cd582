import type { Answer } from '../../api.ts';
import './chart.css';

type Metrics = Answer<'GET /v1/admin/metrics/summary'>;

const height = 120;
const width = 720;

/** Requests by hour, with the failed ones at the bottom of each bar. The table below shows the numbers. */
export function Chart({ series, hours }: Pick<Metrics, 'series' | 'hours'>) {
  const now = Math.floor(Date.now() / 3_600_000);
  const byHour = new Map(series.map(entry => [Math.floor(Date.parse(entry.hour) / 3_600_000), entry]));
  const slots = Array.from({ length: hours }, (_, index) => byHour.get(now - hours + 1 + index));
  const most = Math.max(1, ...slots.map(slot => slot?.requests ?? 0));
  const step = width / slots.length;
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${width} ${height + 4}`}
        role="img"
        aria-label={`Requests in each of the last ${hours} hours, at most ${most} in one`}
        preserveAspectRatio="none"
      >
        {slots.map((slot, index) => {
          const tall = ((slot?.requests ?? 0) / most) * height;
          const failed = ((slot?.errors.server ?? 0) / most) * height;
          const x = index * step + step * 0.15;
          return (
            <g key={index}>
              <rect class="bar" x={x} width={step * 0.7} y={height - tall} height={tall} />
              <rect class="failed" x={x} width={step * 0.7} y={height - failed} height={failed} />
            </g>
          );
        })}
        <path class="axis" d={`M0 ${height + 0.5}H${width}`} />
      </svg>
      <figcaption>
        <span>{hours} h ago</span>
        <span>at most {most.toLocaleString('en')} in an hour</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}
