import { Field } from './field.tsx';

/** How a thing with an address of its own is named when it is made. */
export function NameAndSlug({ error, slugHint = '' }: { error: unknown; slugHint?: string }) {
  return (
    <>
      <Field label="Name" name="name" required maxLength={100} error={error} />
      <Field
        label="Slug (optional)"
        name="slug"
        mono
        maxLength={48}
        hint={`Stands in addresses and never changes. ${slugHint}`.trim()}
        error={error}
      />
    </>
  );
}
