import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { fullTime } from '../../ui/time.tsx';
import './period.css';

/** A period as the URL and the API have it: ISO times, `until` exclusive. */
export interface Period {
  since: string | undefined;
  until: string | undefined;
}

export function periodOf(query: URLSearchParams): Period {
  return { since: query.get('since') ?? undefined, until: query.get('until') ?? undefined };
}

/** The period of the submitted fields. */
export function submittedPeriod({ since = '', until = '' }: Record<string, string>): Period {
  const toIso = (local: string) => (local === '' ? undefined : new Date(local).toISOString());
  return { since: toIso(since), until: toIso(until) };
}

export const isLimited = ({ since, until }: Period) => since !== undefined || until !== undefined;

/**
 * The fields of a period, for a form. Most people ask about all time, so they are only open if the link has a period.
 * They are in the user's time zone; the link has UTC, so that it means the same to everyone.
 */
export function PeriodFields({ period, allTime }: { period: Period; allTime: string }) {
  const { since, until } = period;
  return (
    <details class="period" key={JSON.stringify(period)} open={isLimited(period)}>
      <summary>Period: {periodInWords(period)}</summary>
      <div class="filters">
        <Field label="From" name="since" type="datetime-local" value={toLocal(since)} />
        <Field label="Until" name="until" type="datetime-local" value={toLocal(until)} />
        <Button type="submit">Show this period</Button>
        {isLimited(period) && (
          <p>
            <a href={allTime}>All time</a>
          </p>
        )}
      </div>
    </details>
  );
}

function periodInWords(period: Period): string {
  const said = Object.entries({ from: period.since, until: period.until }).flatMap(([word, time]) =>
    time === undefined ? [] : [`${word} ${timeInWords(time)}`],
  );
  return said.length === 0 ? 'all time' : said.join(' ');
}

/** A time of the URL. What is none is shown as it is; the service says what is wrong with it. */
export const timeInWords = (iso: string) => (Number.isNaN(Date.parse(iso)) ? iso : fullTime(iso));

function toLocal(iso = ''): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
