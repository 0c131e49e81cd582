import { text } from './text.ts';

/** For telling where a path leads; no page is ever opened there. */
const somewhere = 'https://dashboard.invalid';

/**
 * Whether the text is a path of the dashboard, and can't be anything else in any browser: no other host
 * (`//host`, `/\host`, also encoded), no scheme, no control characters, which browsers drop, no fragment, which carries
 * results, and not the API, where another sign-in could start. Pure.
 */
export function isDashboardPath(value: string): boolean {
  if (!/^\/[\x21-\x7e]*$/.test(value) || /[\\#]/.test(value)) return false;
  let decoded: string;
  try {
    decoded = decodeURIComponent(value);
  } catch {
    return false;
  }
  // Encoded twice is as suspicious as encoded once: the dashboard's slugs and ids need no encoding.
  if (/^\/[/\\]|[\\\p{Cc}]|%(?:2f|5c|0|1)/iu.test(decoded)) return false;
  const url = URL.parse(value, somewhere);
  const isElsewhere = /^\/(?:\/|v1(?:\/|$))/.test(url?.pathname ?? '');
  return url !== null && url.origin === somewhere && !isElsewhere;
}

export const dashboardPath = text(1, 1000).refine(isDashboardPath, { message: 'must be a path of the dashboard' });
