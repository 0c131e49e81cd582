import type { subjects } from 'virtual:contracts';
import { may, organizationBySlug } from '../session.ts';
import './button.css';

/** What can be asked about: the credentials and who holds them. */
export type SubjectType = (typeof subjects)[keyof typeof subjects];

/** The screen that says what a credential saw or, with an environment and a key, who knows a secret. */
export function exposurePath(
  slug: string,
  asked: { readonly [Type in SubjectType | 'environment' | 'key']?: string },
): string {
  return `${leakedPath(slug)}?${new URLSearchParams(asked)}`;
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

/** The page that asks what leaked. */
export const leakedPath = (slug: string) => `/organizations/${slug}/audit/exposure`;

/** The words of the link: “What they saw” for a person, “What it saw” for anything else. */
export const sawWords = (type: SubjectType) => (type === 'user' ? 'What they saw' : 'What it saw');

/** Leads those who may ask from a credential to what it saw, for the case that it leaked. */
export function Leaked({ slug, type, id, name }: LeakedProps) {
  const organization = organizationBySlug(slug);
  if (organization === undefined || !may('get-exposure', organization.role)) return null;
  return (
    <a class="button quiet" href={exposurePath(slug, { [type]: id })} aria-label={`${sawWords(type)}: ${name}`}>
      {sawWords(type)}
    </a>
  );
}
