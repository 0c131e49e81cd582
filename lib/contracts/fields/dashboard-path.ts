import { text } from './text.ts';

/** Any origin: paths are resolved against it, but it is never opened. */
const origin = 'https://dashboard.invalid';

/**
 * Whether the text is a path of the dashboard in every browser: no other host (`//host`, `/\host`, also encoded), no
 * control characters, which browsers drop, no fragment, which carries results, and not the API, where another sign-in
 * could start. Pure.
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
  const url = URL.parse(value, origin);
  return url?.origin === origin && !/^\/(?:\/|v1(?:\/|$))/.test(url.pathname);
}

export const dashboardPath = text(1, 1000).refine(isDashboardPath, { message: 'must be a path of the dashboard' });
