import type { CredentialExposure, Exposure } from '@holdfast/contracts/audit/exposure.ts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { useState } from 'preact/hooks';
import { useLoad } from '../../../load.ts';
import { addressWith, navigate, searchParameters } from '../../../router.ts';
import { Await } from '../../../ui/await.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { count } from '../../../ui/count.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { Further } from '../../../ui/further.tsx';
import { Page } from '../../../ui/page.tsx';
import { fullTime } from '../../../ui/time.tsx';
import { isLimited, PeriodFields, periodOf, submittedPeriod } from '../period.tsx';
import { Doubts } from './doubts.tsx';
import { linesToRotate } from './exposed.ts';
import { findStanding, nameOf } from './standing.ts';
import { ExposureTable } from './table.tsx';
import { progressOf, type Subject, useExposure } from './use-exposure.ts';
import '../../../ui/figures.css';
import '../../../ui/meter.css';
import './exposure.css';

interface CredentialProps {
  organization: OwnOrganization;
  subject: Subject;
}

const lead = 'These secrets were exposed. Change the ones that are still current; each is checked off automatically.';

type Found = ReturnType<typeof useExposure>;

/** Every secret whose value a credential, person or identity saw or sent. */
export function CredentialScreen({ organization, subject }: CredentialProps) {
  const period = periodOf(searchParameters());
  const found = useExposure(organization.id, subject, period);
  // The list of secrets doesn’t wait for this.
  const standing = useLoad(`${subject.type} ${subject.id}`, signal => findStanding(organization, subject, signal));
  const recorded = found.data?.findLast(({ subject: { name } }) => name !== null)?.subject.name ?? null;
  const name = nameOf(subject, standing.data, recorded);
  return (
    <Page title={`What ${name} saw · ${organization.name}`} heading={`What ${name} saw`} lead={lead}>
      {standing.data !== undefined && (
        <p class={standing.data.link === undefined ? 'notice' : 'notice urgent'}>
          {standing.data.text} {standing.data.link && <a href={standing.data.link[1]}>{standing.data.link[0]}</a>}
        </p>
      )}
      <Await of={found} rows={8}>
        {pages => (
          <>
            <Progress found={found} />
            <Doubts pages={pages} nameOf={id => placeName(found.rows, id)} />
            <Limits pages={pages} isEmpty={found.rows.length === 0} />
          </>
        )}
      </Await>
      <Form label="Period" onSubmit={values => navigate(addressWith({ ...submittedPeriod(values) }))}>
        <PeriodFields period={period} allTime={addressWith({ since: undefined, until: undefined })} />
      </Form>
      {found.data !== undefined && (
        <>
          {found.rows.length === 0 && !found.pending ? (
            <Empty title={isLimited(period) ? 'No secrets were exposed in this period.' : 'No secrets were exposed.'} />
          ) : (
            <Secrets found={found} organization={organization} />
          )}
          <Further
            of={found}
            searching={`Searching the audit log … ${count(found.rows.length, 'secret')} so far.`}
            left="The audit log is long, and only its older part has been searched."
          />
        </>
      )}
    </Page>
  );
}

function placeName(rows: readonly Exposure[], environmentId: string) {
  const row = rows.find(({ environment }) => environment.id === environmentId);
  return <span class="mono">{row === undefined ? environmentId : `${row.project.slug}/${row.environment.slug}`}</span>;
}

function Progress({ found: { rows, current, pending, checks, reload } }: { found: Found }) {
  if (rows.length === 0) return null;
  const isDone = current.length === 0 && !pending;
  return (
    <div class="exposure-progress">
      <div class="figure">
        <strong>{progressOf(rows)}</strong>
        {isDone && <span class="good">✓ None of the exposed values is still current.</span>}
      </div>
      <progress aria-label="Changed secrets" max={rows.length} value={rows.length - current.length} />
      <div class="actions">
        {current.length > 0 && (
          <CopyButton
            kind="primary"
            label={`Copy the ${count(current.length, 'key')} to change`}
            text={() => linesToRotate(rows)}
          />
        )}
        <Button busy={pending} onClick={() => void reload()}>
          Check again
        </Button>
        {checks === 'failed' && <span class="hint">The last check for changes failed.</span>}
        {checks === 'paused' && <span class="hint">Automatic checks have paused.</span>}
      </div>
    </div>
  );
}

interface LimitsProps {
  pages: readonly CredentialExposure[];
  isEmpty: boolean;
}

/** Whether the answer is exact, and what it can't include. */
function Limits({ pages, isEmpty }: LimitsProps) {
  const since = pages.at(0)?.knownSince;
  const isExact = since !== undefined && pages.every(({ complete }) => complete);
  return (
    <p class="hint limits">
      {isExact && `This list is exact: the audit log has every entry since ${fullTime(since)}. `}
      {!isEmpty && (
        <>
          Values are not compared: if one was also promoted to or entered in another environment, change it there too. A
          deleted value may still work at the system that issued it.
        </>
      )}
    </p>
  );
}

interface SecretsProps {
  found: Found;
  organization: OwnOrganization;
}

/** A short list needs no filter. */
const rowsWithoutFilter = 12;

function Secrets({ found: { rows, current }, organization }: SecretsProps) {
  const [text, setText] = useState('');
  const wanted = text.toLowerCase();
  const shown = rows.filter(({ project, environment, key }) =>
    `${project.slug}/${environment.slug}/${key}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      {rows.length > rowsWithoutFilter && (
        <div class="filters">
          <Field label="Filter" name="filter" type="search" mono value={text} onInput={setText} />
          <p class="quiet" aria-live="polite">
            {wanted === '' ? '' : `${shown.length.toLocaleString('en')} of `}
            {count(rows.length, 'secret')}, {current.length.toLocaleString('en')} still current
          </p>
        </div>
      )}
      <ExposureTable rows={shown} slug={organization.slug} />
    </>
  );
}
