import ipaddr from 'ipaddr.js';

/**
 * The network that an address is counted under. For IPv6, this is the first 64 bits, because a single subscriber has at
 * least that many addresses (RFC 6177).
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return `${address.toByteArray().slice(0, 8).join('.')}/64`;
}
