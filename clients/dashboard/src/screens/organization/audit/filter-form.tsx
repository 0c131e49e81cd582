import { auditActions } from 'virtual:contracts';
import { navigate } from '../../../router.ts';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { Select } from '../../../ui/select.tsx';
import { PeriodFields, submittedPeriod } from '../period.tsx';
import { type Filters, filtered } from './filters.ts';
import type { Names } from './names.ts';

/** Choosing an action or a place applies it at once; what is typed is applied by the button. */
export function FilterForm({ filters, names }: { filters: Filters; names: Names }) {
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
        <PlaceSelect filters={filters} names={names} />
        <Field key={`key ${key}`} label="Key" name="key" mono maxLength={256} value={key} />
        <Button type="submit">Apply</Button>
      </div>
      <PeriodFields period={{ since, until }} allTime={filtered({ since: undefined, until: undefined })} />
    </Form>
  );
}

/** A project, or one of its environments. */
function PlaceSelect({ filters: { project, environment }, names }: { filters: Filters; names: Names }) {
  const places = names.projects.flatMap(({ id, slug, environments }) => [
    [`project ${id}`, slug] as const,
    ...environments.map(one => [`environment ${one.id}`, `${slug}/${one.slug}`] as const),
  ]);
  const value =
    environment !== undefined ? `environment ${environment}` : project !== undefined ? `project ${project}` : '';
  const isListed = value === '' || places.some(([place]) => place === value);
  return (
    <Select<string>
      label="Project or environment"
      value={value}
      options={[['', 'Everywhere'], ...places, ...(isListed ? [] : [[value, 'Another one'] as const])]}
      onChange={place => {
        const [name, id] = place.split(' ');
        navigate(filtered({ project: undefined, environment: undefined, ...(name ? { [name]: id } : {}) }));
      }}
    />
  );
}
