import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The one IPv6 range of global unicast addresses (RFC 4291, 2.4). All others are special or unassigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** A public address that is only reachable inside a cloud: Azure's platform and metadata address. */
const cloudInternal = new Set(['168.63.129.16']);

/**
 * Whether an address is on the public internet: an ordinary unicast address by the registries of special addresses (RFC
 * 6890 and its successors), IPv4 or in 2000::/3. IPv6 addresses that embed an IPv4 address (mapped, compatible, NAT64,
 * 6to4, Teredo) never count as public, even if the embedded one is. Pure.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%') || cloudInternal.has(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast)) return false;
  return parsed.range() === 'unicast';
}

/** 127.0.0.0/8 and ::1, also in IPv4-mapped form. Pure. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%') && ipaddr.process(address).range() === 'loopback';
}
