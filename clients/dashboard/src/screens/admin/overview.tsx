import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { Await } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';
import { OfPlatform } from './tabs.tsx';
import '../../ui/figures.css';
import './chart.css';

type Metrics = Answer<'GET /v1/admin/metrics/summary'>;

export function AdminOverview() {
  return <OfPlatform>{() => <Overview />}</OfPlatform>;
}

function Overview() {
  const [hours, setHours] = useState('24');
  const statistics = useLoad('statistics', signal => call('GET /v1/admin/stats', { signal }));
  const metrics = useLoad(`metrics ${hours}`, signal =>
    call('GET /v1/admin/metrics/summary', { query: { hours }, signal }),
  );
  return (
    <Page title="Platform">
      <Await of={statistics} rows={1}>
        {({ users, organizations, projects }) => (
          <dl class="figures">
            {Object.entries({ users, organizations, projects }).map(([name, number]) => (
              <div key={name}>
                <dd>{number.toLocaleString('en')}</dd>
                <dt>{name}</dt>
              </div>
            ))}
          </dl>
        )}
      </Await>
      <Section title="Requests">
        <div class="filters">
          <Select
            label="Time"
            value={hours}
            options={[
              ['6', 'last 6 hours'],
              ['24', 'last 24 hours'],
              ['72', 'last 3 days'],
              ['168', 'last week'],
            ]}
            onChange={setHours}
          />
        </div>
        <Await of={metrics}>{found => <Requests metrics={found} />}</Await>
      </Section>
    </Page>
  );
}

const milliseconds = (value: number | null) => (value === null ? '–' : `${Math.round(value).toLocaleString('en')} ms`);

function Requests({ metrics }: { metrics: Metrics }) {
  const { requests, errors, latencyMs, routes } = metrics;
  if (requests === 0) return <Empty title="No requests in this time." />;
  return (
    <>
      <dl class="figures small">
        <div>
          <dd>{requests.toLocaleString('en')}</dd>
          <dt>requests</dt>
        </div>
        <div>
          <dd>{errors.server.toLocaleString('en')}</dd>
          <dt>failed here (5xx)</dt>
        </div>
        <div>
          <dd>{errors.client.toLocaleString('en')}</dd>
          <dt>refused (4xx)</dt>
        </div>
        <div>
          <dd>
            {milliseconds(latencyMs.p50)} · {milliseconds(latencyMs.p95)} · {milliseconds(latencyMs.p99)}
          </dd>
          <dt>half, 95 %, 99 % are faster</dt>
        </div>
      </dl>
      <Chart metrics={metrics} />
      <Table
        caption="Requests by route"
        rows={routes}
        keyOf={({ route }) => route}
        columns={[
          { title: 'Route', cell: ({ route }) => <span class="mono small">{route}</span> },
          { title: 'Requests', number: true, cell: row => row.requests.toLocaleString('en') },
          { title: '4xx', number: true, cell: row => row.errors.client.toLocaleString('en') },
          { title: '5xx', number: true, cell: row => row.errors.server.toLocaleString('en') },
          { title: 'p50', number: true, cell: row => milliseconds(row.latencyMs.p50) },
          { title: 'p95', number: true, cell: row => milliseconds(row.latencyMs.p95) },
        ]}
      />
    </>
  );
}

const height = 120;
const width = 720;

/** Requests hour by hour; those that failed here stand at the foot of each bar. The table below says the same in numbers. */
function Chart({ metrics: { series, hours } }: { metrics: Metrics }) {
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
