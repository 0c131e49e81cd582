/** What one writer manages, by `data.KEY` or `annotations.NAME`. */
export interface Manager {
  manager: string;
  operation: 'Apply' | 'Update';
  fields: Set<string>;
}

export interface ApplyConflictBody extends Record<string, unknown> {
  details: { causes: { reason: 'FieldManagerConflict'; field: string }[] };
}

export const fieldsOf = (fields: ReadonlyMap<string, string>, member: string): Record<string, string> =>
  Object.fromEntries(
    [...fields].flatMap(([field, value]) =>
      field.startsWith(`${member}.`) ? [[field.slice(member.length + 1), value]] : [],
    ),
  );

/** As in `metadata.managedFields`: FieldsV1 names a field of a map `f:<name>`, and the map itself `.`. */
export const managedFieldsOf = (managers: readonly Manager[]) =>
  managers
    .filter(({ fields }) => fields.size > 0)
    .map(({ manager, operation, fields }) => {
      const of = (member: string) => {
        const own = [...fields].filter(field => field.startsWith(`${member}.`));
        return own.length === 0
          ? undefined
          : { '.': {}, ...Object.fromEntries(own.map(field => [`f:${field.slice(member.length + 1)}`, {}])) };
      };
      const [data, annotations] = [of('data'), of('annotations')];
      return {
        manager,
        operation,
        apiVersion: 'v1',
        time: '2026-01-31T09:26:53Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          ...(data && { 'f:data': data }),
          ...(annotations && { 'f:metadata': { 'f:annotations': annotations } }),
        },
      };
    });
