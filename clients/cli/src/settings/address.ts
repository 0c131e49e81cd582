import { usage } from '../failure.ts';

/** The address of a service, without blanks around it, `/v1` or a trailing slash. @throws Failure for an invalid or insecure address */
export function addressOf(given: string, source: string): string {
  const text = given.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw usage(`The address of ${source} must be http or https, without credentials, query and fragment.`);
  }
  if (!isPlain(url.href)) {
    throw usage(`The address of ${source} contains characters that shells treat specially.`);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && process.env.HOLDFAST_INSECURE_HTTP !== '1') {
    throw usage(
      `${url.origin} (${source}) is not encrypted: others could read the token and values in transit.`,
      'Use https. In a network that you trust, set HOLDFAST_INSECURE_HTTP=1.',
    );
  }
  return shortened(url);
}

const shortened = ({ href }: URL): string => href.replace(/\/+$/, '').replace(/\/v1$/, '');

/** Whether a text, which may be no address at all, means this address. */
export const isAddress = (text: string, address: string): boolean =>
  URL.canParse(text.trim()) && shortened(new URL(text.trim())) === address;

export const originOf = (address: string): string => new URL(address).origin;

/**
 * Whether an address means the same in a shell as it does to a reader. Hints name addresses in commands, and a
 * repository or a server may have chosen the address.
 */
export const isPlain = (address: string): boolean => /^[\w:/.[\]%~+@-]+$/.test(address);

/** @param hostname of a `URL`, which writes every IPv4 address as four numbers */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname);
}
