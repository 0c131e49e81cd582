import { line } from '../fields/text.ts';

/** Checks only the format. The settings and the resolved address decide which schemes and addresses are allowed. */
export const TargetUrl = line(1, 2048)
  .refine(value => /^https?:\/\//i.test(value) && URL.canParse(value), { message: 'must be an absolute https URL' })
  .refine(value => !hasCredentials(value), { message: 'must not contain a user name or password' })
  .meta({ format: 'uri' });

function hasCredentials(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.username !== '' || url.password !== '');
}
