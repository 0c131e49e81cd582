import { Field } from './field.tsx';

/** The name of a new organization, project or environment, and its slug. */
export function NameAndSlug({ error, slugHint = '' }: { error: unknown; slugHint?: string }) {
  return (
    <>
      <Field label="Name" name="name" required maxLength={100} error={error} />
      <Field
        label="Slug (optional)"
        name="slug"
        mono
        maxLength={48}
        hint={`Used in URLs. It never changes. ${slugHint}`.trim()}
        error={error}
      />
    </>
  );
}
