/*
 * A browser without a screen: it keeps cookies by host, port and path, and follows redirects one at a time. Real browsers
 * ignore the port; here it tells the service and the providers of a test apart, which all listen on loopback.
 */

interface Cookie {
  name: string;
  value: string;
  path: string;
  /** As it was set, for tests of its attributes. */
  line: string;
}

export interface Page {
  /** The address of the request that the response belongs to. */
  url: URL;
  status: number;
  headers: Headers;
  text: string;
  /** Where the response redirects to. */
  location: URL | undefined;
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
}

export interface Browser {
  /** One request with the cookies of its host; redirects are not followed. */
  open(url: string | URL, sent?: Sent): Promise<Page>;
  /**
   * Follows redirects until one leads to an address that `stopAt` names, which is not requested, or until a page
   * doesn't redirect.
   */
  follow(page: Page, stopAt: (url: URL) => boolean): Promise<Page>;
  cookies(of: string | URL): readonly Cookie[];
  /** What a request to the address sends in its Cookie header. */
  cookieHeader(url: string | URL): string;
  setCookie(url: string | URL, line: string): void;
  /** Forgets the cookies of the host, or only the ones whose names match. */
  forget(of: string | URL, name?: RegExp): void;
}

const maximumHops = 15;

export function openBrowser(): Browser {
  const jars = new Map<string, Cookie[]>();
  const jarOf = (url: string | URL) => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? [];
    jars.set(host, jar);
    return jar;
  };
  const browser: Browser = {
    open: async (address, { method, headers = {}, form } = {}) => {
      const url = new URL(address);
      const cookie = browser.cookieHeader(url);
      const response = await fetch(url, {
        method: method ?? (form === undefined ? 'GET' : 'POST'),
        redirect: 'manual',
        headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      });
      for (const line of response.headers.getSetCookie()) browser.setCookie(url, line);
      const location = response.headers.get('location');
      return {
        url,
        status: response.status,
        headers: response.headers,
        text: await response.text(),
        location: location === null ? undefined : new URL(location, url),
      };
    },
    follow: async (page, stopAt) => {
      let current = page;
      for (let hop = 0; hop < maximumHops; hop += 1) {
        if (current.location === undefined || stopAt(current.location)) return current;
        current = await browser.open(current.location);
      }
      throw new Error(`More than ${maximumHops} redirects, the last one to ${current.location}.`);
    },
    cookies: of => jarOf(of),
    cookieHeader: url => {
      const { pathname } = new URL(url);
      const sent = jarOf(url).filter(({ path }) => covers(path, pathname));
      return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
    },
    setCookie: (url, line) => {
      const cookie = parseCookie(line, new URL(url).pathname);
      const others = jarOf(url).filter(({ name, path }) => name !== cookie.name || path !== cookie.path);
      jars.set(new URL(url).host, isDeleted(line) ? others : [...others, cookie]);
    },
    forget: (of, name = /^/) => {
      jars.set(
        new URL(of).host,
        jarOf(of).filter(cookie => !name.test(cookie.name)),
      );
    },
  };
  return browser;
}

/** RFC 6265, 5.1.4. */
function covers(cookiePath: string, path: string): boolean {
  if (!path.startsWith(cookiePath)) return false;
  return cookiePath.endsWith('/') || path.length === cookiePath.length || path[cookiePath.length] === '/';
}

function parseCookie(line: string, requestPath: string): Cookie {
  const [pair = ''] = line.split(';');
  const split = pair.indexOf('=');
  const path = /;\s*path=([^;]*)/i.exec(line)?.[1] ?? requestPath.replace(/\/[^/]*$/, '');
  return { name: pair.slice(0, split).trim(), value: pair.slice(split + 1).trim(), path: path || '/', line };
}

function isDeleted(line: string): boolean {
  const maxAge = /;\s*max-age=(-?\d+)/i.exec(line)?.[1];
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  const expires = /;\s*expires=([^;]*)/i.exec(line)?.[1];
  return expires !== undefined && Date.parse(expires) <= Date.now();
}
