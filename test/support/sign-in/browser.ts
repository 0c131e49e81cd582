/* Cookies by host, path and, unlike real browsers, port, which tells the services on loopback apart. */

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
  location: URL | undefined;
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
}

const maximumHops = 15;

export function openBrowser() {
  const jars = new Map<string, Cookie[]>();
  const cookies = (of: string | URL): readonly Cookie[] => jars.get(new URL(of).host) ?? [];
  /** What a request to the address sends in its Cookie header. */
  const cookieHeader = (url: string | URL) => {
    const { pathname } = new URL(url);
    const sent = cookies(url).filter(({ path }) => covers(path, pathname));
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  };
  const setCookie = (url: string | URL, line: string) => {
    const { host, pathname } = new URL(url);
    const cookie = parseCookie(line, pathname);
    const others = cookies(url).filter(({ name, path }) => name !== cookie.name || path !== cookie.path);
    jars.set(host, isDeleted(line) ? others : [...others, cookie]);
  };
  /** One request with the cookies of its host; redirects are not followed. */
  const open = async (address: string | URL, { method, headers = {}, form }: Sent = {}): Promise<Page> => {
    const url = new URL(address);
    const cookie = cookieHeader(url);
    const response = await fetch(url, {
      method: method ?? (form === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) setCookie(url, line);
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? undefined : new URL(location, url),
    };
  };
  /** Follows redirects to an address that `stopAt` names, which isn't requested, or to a page that doesn't redirect. */
  const follow = async (page: Page, stopAt: (url: URL) => boolean): Promise<Page> => {
    let current = page;
    for (let hop = 0; hop < maximumHops; hop += 1) {
      if (current.location === undefined || stopAt(current.location)) return current;
      current = await open(current.location);
    }
    throw new Error(`More than ${maximumHops} redirects, the last one to ${current.location}.`);
  };
  const forget = (of: string | URL) => void jars.delete(new URL(of).host);
  return { open, follow, cookies, cookieHeader, setCookie, forget };
}

export type Browser = ReturnType<typeof openBrowser>;

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
