import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { settings } from '../core/settings.ts';

/** What is allowed besides https to public addresses; for development. */
export interface TargetRules {
  /** Also allow loopback addresses, and plain http to them. Other private addresses stay forbidden. */
  allowLoopback: boolean;
}

export function targetRules(): TargetRules {
  return { allowLoopback: settings().WEBHOOK_ALLOW_LOOPBACK };
}

/** The host of a URL without brackets: a name, or an address in its canonical form. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Names that are never public by definition (RFC 6761, RFC 6762, RFC 8375; ICANN reserves `internal`). */
const privateSuffixes = ['localhost', 'local', 'internal', 'home.arpa'];

/** Whether the name refers to this machine (RFC 6761). */
export function isLocalhost(host: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(host);
}

/**
 * Why the URL is not an allowed target, as a phrase after "url: "; undefined if that depends on the host's addresses.
 * The URL parser normalizes all notations of an address (decimal, octal, hexadecimal, short, full-width).
 */
export function targetProblem(text: string, rules = targetRules()): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'must be an absolute https URL';
  if (url.protocol === 'http:' && !isAllowedPlain(url, rules)) return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.port === '0') return 'must not use port 0';
  const host = hostOf(url);
  if (isIP(host) !== 0) return addressProblem(host, rules);
  if (isLocalhost(host)) return rules.allowLoopback ? undefined : `the host ${host} is not public`;
  const name = host.replace(/\.$/, '');
  const isPrivate = privateSuffixes.some(suffix => name.endsWith(`.${suffix}`));
  // A name without a dot resolves only on the local network, if at all.
  return isPrivate || !name.includes('.') ? `the host ${host} is not public` : undefined;
}

/** Whether plain http may be used, because it doesn't leave this machine. */
export function isAllowedPlain(url: URL, { allowLoopback } = targetRules()): boolean {
  const host = hostOf(url);
  return allowLoopback && (isLocalhost(host) || isLoopbackAddress(host));
}

/** Why the address is not allowed as a target; undefined if it is. */
export function addressProblem(address: string, rules: TargetRules): string | undefined {
  if (isPublicAddress(address) || (rules.allowLoopback && isLoopbackAddress(address))) return undefined;
  return `the address ${address} is not public`;
}

/** Global unicast addresses (RFC 4291, 2.4). All other IPv6 addresses are special or unassigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Azure's platform and metadata address: public, but only reachable inside that cloud. */
const cloudInternal = '168.63.129.16';

/**
 * Whether an address is on the public internet: an ordinary unicast address by the registries of special addresses (RFC
 * 6890 and its successors), IPv4 or in 2000::/3. IPv6 addresses that embed an IPv4 address (mapped, compatible, NAT64,
 * 6to4, Teredo) never count as public, even if the embedded one is. Pure.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%') || address === cloudInternal) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast)) return false;
  return parsed.range() === 'unicast';
}

/** 127.0.0.0/8 and ::1, also in IPv4-mapped form. Pure. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%') && ipaddr.process(address).range() === 'loopback';
}
