import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ResponseBody } from '@holdfast/sdk';
import type { connect } from '../connect.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import type { Output } from '../output.ts';
import { isPlain, originOf } from '../settings/address.ts';
import type { Terminal } from '../terminal.ts';
import { answerPage, answerPolicy } from './answer-page.ts';
import { browserCommand, openBrowser } from './browser.ts';

export type IssuedToken = Extract<ResponseBody<'POST', '/v1/auth/cli-auth'>, { token: string }>;

/** Shown by the dashboard for confirmation. */
export interface Request {
  name: string;
  /** If it is not given, the dashboard suggests one. */
  access?: 'names' | 'read' | 'write' | 'full' | undefined;
  /** The requested limits: slugs and a number. The user who confirms can change them. */
  organization?: string | undefined;
  project?: string | undefined;
  environment?: string | undefined;
  expiresInDays?: string | undefined;
}

const patienceMs = 300_000;
const waysWithoutWaiting =
  'Leave out --no-input. With a token that there is already: holdfast login --with-token < file';

/**
 * Gets a token from a user who is signed in to the dashboard. The token never appears in a URL or in the dashboard: a
 * code comes back, and only this process can redeem it (PKCE, RFC 7636; loopback listener, RFC 8252, 7.3).
 */
export async function handOff(
  { output, terminal, connect: connectTo }: { output: Output; terminal: Terminal; connect: typeof connect },
  url: string,
  request: Request,
  usesBrowser: boolean,
): Promise<IssuedToken> {
  if (!terminal.mayWait) {
    throw usage('This needs a person in a browser, and --no-input never waits for one.', waysWithoutWaiting);
  }
  const codeVerifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const page = new URL(`${url}/authorize-cli`);
  page.searchParams.set('code_challenge', codeChallenge);
  for (const [name, value] of Object.entries(request)) {
    if (value !== undefined) page.searchParams.set(name, value);
  }
  // Without a terminal there is nobody to ask, but somebody may open the printed address.
  const cannotOpen = terminal.canAsk && browserCommand().length === 0;
  const codeFrom = !usesBrowser ? codeFromPerson : cannotOpen ? codeWithoutBrowser : codeFromBrowser;
  const issued = await codeFrom(output, terminal, page);
  requireIssuer(issued, url);
  return await redeem(connectTo, url, issued.code, codeVerifier);
}

/** A code and its `iss` parameters (RFC 9207). A valid response has exactly one. */
interface IssuedCode {
  code: string;
  issuers: readonly string[];
}

/**
 * A malicious address can redirect the browser to the genuine dashboard. The code that the user confirms there is for
 * the genuine service, and must never be sent to the malicious one (mix-up attack).
 * @throws Failure for a code of another origin, or without an origin
 */
function requireIssuer({ issuers }: IssuedCode, url: string): void {
  const [issuer] = issuers;
  const origin = originOf(url);
  if (issuers.length === 1 && issuer === origin) return;
  const named = issuers.length === 1 ? namedOrigin(issuer) : undefined;
  throw new Failure(
    exitCodes.signIn,
    'wrong_issuer',
    named === undefined
      ? `The code does not name ${origin} as its issuer; it was not used.`
      : `The code is for ${named}, not for ${origin}; it was not used.`,
    {
      hint:
        named === undefined
          ? 'The service may be older than this command line.'
          : `If you trust ${named}: holdfast login --url ${named}. If you did not expect it, do not continue.`,
    },
  );
}

function namedOrigin(issuer: string | undefined): string | undefined {
  if (issuer === undefined || !URL.canParse(issuer)) return undefined;
  const { origin } = new URL(issuer);
  return isPlain(origin) ? origin : undefined;
}

async function codeFromPerson(output: Output, terminal: Terminal, page: URL): Promise<IssuedCode> {
  if (!terminal.canAsk)
    throw usage('Pasting a code needs a terminal.', 'In scripts: holdfast login --with-token < file');
  output.warn(`Open this address in a browser, and paste the code that it shows:\n\n  ${page}\n`);
  const answer = await askForCode(output, terminal, page.origin);
  const [code = '', ...issuers] = answer.split('~');
  if (code !== '') return { code, issuers: issuers.map(fromBase64url) };
  throw new Failure(exitCodes.signIn, 'cancelled', 'No code was entered; you are not signed in.');
}

/** Commands that were pasted together with `login` arrive here before the code does. */
async function askForCode(output: Output, terminal: Terminal, origin: string): Promise<string> {
  for (;;) {
    const answer = (await terminal.askHidden('Code: ')).trim();
    if (answer === '' || isWhole(answer, origin)) return answer;
    if (!/\s/.test(answer)) output.warn('That is not the whole code; copy it again.');
    else
      output.warn(
        'That is not a code. If these were your next commands, none of them ran: paste them again afterwards.',
      );
  }
}

/** It ends with an address. A part of this service's address was cut off; another one is refused by its name. */
function isWhole(answer: string, origin: string): boolean {
  const [code, ...issuers] = answer.split('~').map((text, at) => (at === 0 ? text : fromBase64url(text)));
  const isCut = (issuer: string) =>
    namedOrigin(issuer) === undefined || (issuer !== origin && origin.startsWith(issuer));
  return code !== '' && !/\s/.test(answer) && issuers.length > 0 && !issuers.some(isCut);
}

const fromBase64url = (text: string): string => Buffer.from(text, 'base64url').toString();

async function codeFromBrowser(output: Output, terminal: Terminal, page: URL): Promise<IssuedCode> {
  const state = randomBytes(32).toString('base64url');
  const listener = await listen(state);
  try {
    const address = new URL(page);
    address.searchParams.set('redirect_uri', listener.redirectUri);
    address.searchParams.set('state', state);
    output.warn(
      `Confirm in the browser. If none opens, open this address:\n\n  ${address}\n\nIf the browser is on another machine: holdfast login --no-browser`,
    );
    const failed = new Promise<undefined>(resolve => openBrowser(address.href, () => resolve(undefined)));
    const issued = await (terminal.canAsk ? Promise.race([listener.code, failed]) : listener.code);
    if (issued !== undefined) return issued;
  } finally {
    listener.close();
  }
  return await codeWithoutBrowser(output, terminal, page);
}

async function codeWithoutBrowser(output: Output, terminal: Terminal, page: URL): Promise<IssuedCode> {
  output.warn('No browser can be opened here.');
  return await codeFromPerson(output, terminal, page);
}

interface Listener {
  redirectUri: string;
  code: Promise<IssuedCode>;
  close: () => void;
}

/** Stops after one answer with the right state. Any other request is rejected and changes nothing. */
async function listen(state: string): Promise<Listener> {
  let settle: { resolve: (code: IssuedCode) => void; reject: (failure: Failure) => void } | undefined;
  const code = new Promise<IssuedCode>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // It may reject before anything awaits it.
  code.catch(() => undefined);
  const server = createServer((incoming, response) => {
    const answer = (status: number, title: string, text: string) => {
      response.writeHead(status, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': answerPolicy,
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        connection: 'close',
      });
      response.end(answerPage(title, text));
    };
    const given = parametersOf(incoming, host());
    if (given === undefined || !isEqual(given.get('state') ?? '', state)) {
      answer(400, 'Nothing here', 'This address only accepts the response to the sign-in that opened it.');
      return;
    }
    const received = given.get('code') ?? '';
    if (/^[\x21-\x7e]{1,512}$/.test(received)) {
      answer(200, 'Almost done', 'The code has arrived. You can close this window and return to the terminal.');
      settle?.resolve({ code: received, issuers: given.getAll('iss') });
    } else {
      answer(200, 'Refused', 'You are not signed in. You can close this window.');
      settle?.reject(new Failure(exitCodes.signIn, 'refused', 'The sign-in was denied in the browser.'));
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Not reachable from other machines.
    server.listen(0, '127.0.0.1', resolve);
  });
  const host = () => `127.0.0.1:${(server.address() as AddressInfo | null)?.port}`;
  const timer = setTimeout(() => {
    settle?.reject(
      new Failure(exitCodes.signIn, 'timeout', 'The sign-in was not confirmed within five minutes.', {
        hint: 'Try again, or paste a code: holdfast login --no-browser',
      }),
    );
  }, patienceMs);
  return {
    redirectUri: `http://${host()}/callback`,
    code,
    close: () => {
      clearTimeout(timer);
      server.close();
      server.closeIdleConnections();
    },
  };
}

/** Rejects other Host headers: another site could point a domain name at this address (DNS rebinding). */
function parametersOf(incoming: IncomingMessage, host: string): URLSearchParams | undefined {
  if (incoming.method !== 'GET' || incoming.headers.host !== host) return undefined;
  const { pathname, searchParams } = new URL(incoming.url ?? '', `http://${host}`);
  return pathname === '/callback' ? searchParams : undefined;
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [a, b].map(text => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(left, right);
}

async function redeem(
  connectTo: typeof connect,
  url: string,
  code: string,
  codeVerifier: string,
): Promise<IssuedToken> {
  // The redeeming client has no credential yet.
  const anonymousFetch: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete('authorization');
    return fetch(input, { ...init, headers });
  };
  const client = await connectTo({ url, token: 'none', fetch: anonymousFetch });
  const answer = await client.request('POST', '/v1/auth/cli-auth', { body: { code, codeVerifier } });
  if ('token' in answer) return answer;
  throw new Failure(exitCodes.other, 'unexpected_answer', 'The service did not return a token.');
}
