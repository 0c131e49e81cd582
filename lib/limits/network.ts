import ipaddr from 'ipaddr.js';

/** The network an address counts under: for IPv6 the first 64 bits, all of which one subscriber has (RFC 6177). */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return `${address.toByteArray().slice(0, 8).join('.')}/64`;
}
