import { auditActions } from 'virtual:contracts';
import { navigate } from '../../../router.ts';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { Select } from '../../../ui/select.tsx';
import { memberInWords, tokenInWords } from '../credentials.ts';
import { PeriodFields, submittedPeriod } from '../period.tsx';
import { type FilterName, type Filters, filtered } from './filters.ts';
import type { Names } from './names.ts';

interface FilterFormProps extends NamedFilterProps {
  /** The log is always that of one project. */
  isOfProject: boolean;
}

/** Choosing an action or a place applies it at once; what is typed is applied by the button. */
export function FilterForm({ filters, names, isOfProject }: FilterFormProps) {
  const { action = '', key = '', since, until } = filters;
  return (
    <Form
      label="Filters"
      onSubmit={values => navigate(filtered({ key: values.key?.trim(), ...submittedPeriod(values) }))}
    >
      <div class="filters">
        <Select<string>
          label="Action"
          value={action}
          options={[['', 'All actions'], ...auditActions.map(name => [name, name] as const)]}
          onChange={value => navigate(filtered({ action: value }))}
        />
        <WhoSelect filters={filters} names={names} />
        <PlaceSelect filters={filters} names={names} isOfProject={isOfProject} />
        <Field key={`key ${key}`} label="Key" name="key" mono maxLength={256} value={key} />
        <Button type="submit">Apply</Button>
      </div>
      <PeriodFields period={{ since, until }} allTime={filtered({ since: undefined, until: undefined })} />
    </Form>
  );
}

interface NamedFilterProps {
  filters: Filters;
  names: Names;
}

/** A person, an identity or a token. */
function WhoSelect({ filters: { actor, tokenId }, names: { members, identities, tokens } }: NamedFilterProps) {
  return (
    <IdSelect
      label="Who"
      all="Everyone"
      chosen={{ tokenId, actor }}
      options={[
        ...members.map(one => [`actor ${one.userId}`, memberInWords(one)] as const),
        ...identities.map(({ id, name }) => [`actor ${id}`, `identity: ${name}`] as const),
        ...tokens.map(one => [`tokenId ${one.id}`, `token: ${tokenInWords(one)}`] as const),
      ]}
    />
  );
}

/** A project, or one of its environments. */
function PlaceSelect({ filters: { project, environment }, names, isOfProject }: FilterFormProps) {
  const places = names.projects.flatMap(({ id, slug, environments }) => [
    [`project ${id}`, slug] as const,
    ...environments.map(one => {
      const filter = `environment ${one.id}`;
      return [isOfProject ? `${filter} project ${id}` : filter, `${slug}/${one.slug}`] as const;
    }),
  ]);
  return (
    <IdSelect
      label="Project or environment"
      all={isOfProject ? undefined : 'Everywhere'}
      chosen={{ environment, project }}
      options={places}
    />
  );
}

interface IdSelectProps {
  label: string;
  /** The option without a filter; undefined if there must be one. */
  all: string | undefined;
  /** The filters that this chooses between, with their values. */
  chosen: Readonly<Partial<Record<FilterName, string | undefined>>>;
  /** Each has names of filters, in the order of `chosen`, with an id after each. */
  options: readonly (readonly [value: string, label: string])[];
}

/** Filters by one of several kinds of ids. An id that is not listed, such as of a deleted project, stays chosen. */
function IdSelect({ label, all, chosen, options }: IdSelectProps) {
  const set = Object.entries(chosen).filter(([, id]) => id !== undefined);
  const isListed = (option: string) => options.some(([one]) => one === option);
  const together = set.flat().join(' ');
  // Of filters that no option has together, the first counts.
  const value = isListed(together) ? together : (set[0]?.join(' ') ?? '');
  const none = Object.fromEntries(Object.keys(chosen).map(name => [name, undefined]));
  return (
    <Select<string>
      label={label}
      value={value}
      options={[
        ...(all === undefined ? [] : [['', all] as const]),
        ...options,
        ...(value === '' || isListed(value) ? [] : [[value, 'Another one'] as const]),
      ]}
      onChange={option => {
        const words = option.split(' ');
        const filters = words.flatMap((word, index) =>
          index % 2 === 0 && word !== '' ? [[word, words[index + 1]]] : [],
        );
        navigate(filtered({ ...none, ...Object.fromEntries(filters) }));
      }}
    />
  );
}
