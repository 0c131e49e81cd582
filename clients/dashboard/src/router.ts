import { signal } from '@preact/signals';

/** The current path with its query, without the fragment. */
export const location$ = signal(window.location.pathname + window.location.search);

export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (to === location$.value) return;
  if (options.replace) history.replaceState(history.state, '', to);
  else history.pushState({ isInside: true }, '', to);
  location$.value = to;
  if (!options.replace) window.scrollTo(0, 0);
}

let isLeaving = false;

/** Leaves for the previous page of the dashboard or, if the link was opened directly, for the page above this one. */
export function goBack(): void {
  if (isLeaving) return;
  if (history.state?.isInside) {
    isLeaving = true;
    history.back();
  } else navigate(pathname().replace(/\/[^/]*$/, '') || '/', { replace: true });
}

export const pathname = () => location$.value.split('?')[0] ?? '/';
export const searchParameters = () => new URLSearchParams(location$.value.split('?')[1] ?? '');

/** The address of this page with other parameters. */
export function addressWith(changes: Readonly<Record<string, string | undefined>>): string {
  const query = searchParameters();
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? pathname() : `${pathname()}?${query}`;
}

/** Whether the address has a parameter, and a function that sets it: for a dialog that a link can open. */
export function addressFlag(name: string): [on: boolean, set: (on: boolean) => void] {
  const set = (on: boolean) => navigate(addressWith({ [name]: on ? 'yes' : undefined }), { replace: true });
  return [searchParameters().has(name), set];
}

window.addEventListener('popstate', () => {
  isLeaving = false;
  location$.value = window.location.pathname + window.location.search;
});

document.addEventListener('click', event => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.origin !== window.location.origin || link.target !== '' || link.hash !== '') return;
  // The service renders the pages of the API itself.
  if (link.pathname.startsWith('/v1/')) return;
  event.preventDefault();
  navigate(link.pathname + link.search);
});

/** The parameters of a path that fits the pattern, or undefined. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const expected = pattern.split('/');
  const given = path.split('/');
  if (expected.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const actual = given[index] ?? '';
    if (segment.startsWith(':')) {
      if (actual === '') return undefined;
      try {
        parameters[segment.slice(1)] = decodeURIComponent(actual);
      } catch {
        return undefined;
      }
    } else if (segment !== actual) return undefined;
  }
  return parameters;
}
