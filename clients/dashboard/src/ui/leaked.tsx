import type { subjects } from 'virtual:contracts';
import './button.css';

/** What can be asked about: the credentials and who holds them. */
export type SubjectType = (typeof subjects)[keyof typeof subjects];

/** The screen that says what a credential saw or, with an environment and a key, who knows a secret. */
export function exposurePath(
  slug: string,
  asked: { readonly [Type in SubjectType | 'environment' | 'key']?: string },
): string {
  return `/organizations/${slug}/audit/exposure?${new URLSearchParams(asked)}`;
}

/** The environment's screen with the secret in view. */
export function secretPath(slug: string, project: string, environment: string, key: string): string {
  return `/organizations/${slug}/projects/${project}/environments/${environment}?${new URLSearchParams({ key })}`;
}

interface LeakedProps {
  slug: string;
  type: SubjectType;
  id: string;
  /** Names the credential to screen readers. */
  name: string;
}

export function Leaked({ slug, type, id, name }: LeakedProps) {
  return (
    <a class="button quiet" href={exposurePath(slug, { [type]: id })}>
      Leaked?<span class="visually-hidden"> What {name} saw</span>
    </a>
  );
}
