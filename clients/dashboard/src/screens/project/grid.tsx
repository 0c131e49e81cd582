import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useRef, useState } from 'preact/hooks';
import { stageOf } from '../../secrets/staging.ts';
import { user } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/count.ts';
import { Empty } from '../../ui/empty.tsx';
import { roleMay } from '../../ui/environment-rights.ts';
import { Field } from '../../ui/field.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { keysToShow, type ShownKeys, shownKeys } from './grid-cells.ts';
import { GridPanels, type OpenPanel } from './grid-panels.tsx';
import { GridTable } from './grid-table.tsx';
import { useGrid } from './use-grid.ts';
import { useGridFilter } from './use-grid-filter.ts';

const shownWords: Readonly<Record<ShownKeys, string>> = {
  all: 'all keys',
  different: 'different somewhere',
  missing: 'missing somewhere',
  required: 'required and missing',
};

/** The keys of a project by environment: the same, different or missing, never a value. Each cell opens its secret. */
export function Grid({ organization, project, reload }: Omit<ProjectProps, 'parameters'>) {
  const { role } = organization;
  const { reference, compareWith } = useReference(project.environments);
  const { loaded, columns, comparing, readable } = useGrid({ organization, project }, reference);
  const required = loaded.data?.required ?? new Set<string>();
  const [text, setText] = useState('');
  const [show, setShow] = useState<ShownKeys>('all');
  const [open, setOpen] = useState<OpenPanel>();
  const { fits, problem } = useGridFilter(columns, { text, template: loaded.data?.template, slug: organization.slug });
  const keys = keysToShow(columns, { fits, show, required });
  const { chosen, choose, chooseAll, clear } = useChosen(keys);
  if (readable.length === 0) return <Empty title="You can’t read any environment of this project." />;
  return (
    <Await of={loaded} rows={8}>
      {() => (
        <>
          <div class="filters">
            <Filter text={text} onInput={setText} />
            <Select
              label="Show"
              value={show}
              options={shownKeys.map(name => [name, shownWords[name]])}
              onChange={setShow}
            />
            <Reference readable={readable} slug={reference?.slug} onChoose={compareWith} />
          </div>
          <Problem error={comparing.error} retry={() => void comparing.reload()} />
          <Selection
            keys={keys.length}
            chosen={chosen.size}
            onAll={chooseAll}
            onClear={clear}
            onPromote={() => setOpen({ kind: 'promote', keys: [...chosen] })}
            whyNot={
              project.environments.some(({ type }) => roleMay('write', role, type))
                ? undefined
                : `As a ${role}, you can’t change any environment in this project.`
            }
          />
          {keys.length === 0 ? (
            <NoKeys
              title={problem ?? whyNone({ text, show, reference })}
              onClear={() => {
                setText('');
                setShow('all');
              }}
            />
          ) : (
            <GridTable
              keys={keys}
              columns={columns}
              required={required}
              chosen={chosen}
              addressOf={({ environment }) =>
                `/organizations/${organization.slug}/projects/${project.slug}/environments/${environment.slug}`
              }
              isWritable={({ environment }) => roleMay('write', role, environment.type)}
              isStaged={({ column, key }) => stageOf(column.environment.id).value?.changes.has(key) ?? false}
              onChoose={choose}
              onOpen={cell => setOpen({ kind: 'secret', ...cell })}
            />
          )}
          <Legend reference={reference} hasRequired={required.size > 0} />
          <GridPanels
            {...{ organization, project, open, setOpen }}
            from={reference?.slug}
            changed={async () => {
              await Promise.all([loaded.reload(), reload()]);
            }}
          />
        </>
      )}
    </Await>
  );
}

function Filter({ text, onInput }: { text: string; onInput: (text: string) => void }) {
  return (
    <Field
      label="Filter"
      name="filter"
      type="search"
      mono
      placeholder="tag:payments owner:me due:30d"
      value={text}
      onInput={onInput}
    />
  );
}

interface SelectionProps {
  /** How many keys are shown, and how many of them are selected. */
  keys: number;
  chosen: number;
  onAll: () => void;
  onClear: () => void;
  onPromote: () => void;
  /** Why the user can't promote. */
  whyNot: string | undefined;
}

function Selection({ keys, chosen, onAll, onClear, onPromote, whyNot }: SelectionProps) {
  return (
    <div class="grid-head">
      <p class="quiet" aria-live="polite">
        {chosen > 0 ? `${count(chosen, 'key')} selected` : count(keys, 'key')}
      </p>
      <div class="actions">
        <Button kind="quiet" onClick={onAll} disabled={keys === 0}>
          Select all {keys.toLocaleString('en')}
        </Button>
        {chosen > 0 && (
          <>
            <Button kind="quiet" onClick={onClear}>
              Clear
            </Button>
            <Button kind="primary" onClick={onPromote} whyNot={whyNot}>
              Promote {count(chosen, 'key')}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

/** A comparison is audited, so the address can't ask for one, nor does the choice of a previous user count. */
function useReference(environments: readonly Environment[]) {
  const [choice, setChoice] = useState<{ by: string | undefined; slug: string }>();
  const slug = choice?.by === user.value?.id ? choice?.slug : undefined;
  return {
    reference: environments.find(environment => environment.slug === slug),
    compareWith: (chosen: string) => setChoice({ by: user.value?.id, slug: chosen }),
  };
}

interface ReferenceProps {
  readable: readonly Environment[];
  slug: string | undefined;
  onChoose: (slug: string) => void;
}

function Reference({ readable, slug, onChoose }: ReferenceProps) {
  return (
    <Select
      label="Compare with"
      value={slug ?? ''}
      options={[['', 'nothing'], ...readable.map(environment => [environment.slug, environment.slug] as const)]}
      onChange={onChoose}
    />
  );
}

interface Filters {
  text: string;
  show: ShownKeys;
  reference: Environment | undefined;
}

/** Why the filters show no key; undefined if there is none at all. */
function whyNone({ text, show, reference }: Filters): string | undefined {
  if (show === 'different' && reference === undefined) return 'Choose an environment to compare with first.';
  const which = show === 'all' ? '' : ` that is ${shownWords[show]}`;
  if (text !== '') return `No key${which} ${text.includes(':') ? 'fits' : 'contains'} “${text}”.`;
  return show === 'all' ? undefined : `No key is ${shownWords[show]}.`;
}

function NoKeys({ title, onClear }: { title: string | undefined; onClear: () => void }) {
  if (title === undefined) return <Empty title="No secrets yet.">Choose an environment to add some.</Empty>;
  return (
    <Empty title={title}>
      <Button onClick={onClear}>Show all keys</Button>
    </Empty>
  );
}

function Legend({ reference, hasRequired }: { reference: Environment | undefined; hasRequired: boolean }) {
  return (
    <p class="grid-legend">
      {reference !== undefined && (
        <>
          <span>= the same value as in {reference.slug}</span>
          <span>≠ a different value</span>
          <span>set: {reference.slug} does not have it</span>
        </>
      )}
      {hasRequired && <span class="required">missing, and the template requires it</span>}
      <span>The audit log records each comparison.</span>
    </p>
  );
}

/** The selected keys. With Shift, a click selects every key since the last one. Hidden keys are never selected. */
function useChosen(keys: readonly string[]) {
  const [all, setAll] = useState<ReadonlySet<string>>(new Set());
  const last = useRef(0);
  const chosen = new Set(keys.filter(key => all.has(key)));
  return {
    chosen,
    choose: (index: number, on: boolean, range: boolean) => {
      const [from, to] = range ? [Math.min(last.current, index), Math.max(last.current, index)] : [index, index];
      last.current = index;
      const next = new Set(chosen);
      for (const key of keys.slice(from, to + 1)) {
        if (on) next.add(key);
        else next.delete(key);
      }
      setAll(next);
    },
    chooseAll: () => setAll(new Set(keys)),
    clear: () => setAll(new Set()),
  };
}
