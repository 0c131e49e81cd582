import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { Await } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import { HourChart } from '../../ui/hour-chart.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';
import { OfPlatform } from './tabs.tsx';
import '../../ui/figures.css';

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

/** Requests by hour, with the failed ones at the bottom of each bar. */
function Chart({ metrics: { series, hours } }: { metrics: Metrics }) {
  const now = Math.floor(Date.now() / 3_600_000);
  const byHour = new Map(series.map(entry => [Math.floor(Date.parse(entry.hour) / 3_600_000), entry]));
  const slots = Array.from({ length: hours }, (_, index) => {
    const slot = byHour.get(now - hours + 1 + index);
    return { all: slot?.requests ?? 0, part: slot?.errors.server ?? 0 };
  });
  const most = Math.max(...slots.map(({ all }) => all));
  return (
    <HourChart
      label={`Requests in each of the last ${hours} hours, at most ${most} in one`}
      slots={slots}
      part="failed"
    >
      <span>{hours} h ago</span>
      <span>at most {most.toLocaleString('en')} in an hour</span>
      <span>now</span>
    </HourChart>
  );
}

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
