import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Problem } from '../contracts/error-codes.ts';
import type { AllowedNetworks, NetworkUser } from '../contracts/fields/allowed-networks.ts';

/** What is wrong with networks in CIDR notation: each must be written as it is compared. Pure. */
export function networkProblems(networks: AllowedNetworks): Problem[] {
  return (['people', 'machines'] as const satisfies NetworkUser[]).flatMap(user =>
    (networks[user] ?? []).flatMap((network, index) => {
      const message = problemOf(network);
      return message === undefined ? [] : [{ path: `${user}.${index}`, message }];
    }),
  );
}

function problemOf(network: string): string | undefined {
  if (!isCidr(network)) return 'must be a network such as 198.51.100.0/24 or 2001:db8:12::/48';
  const [address, length] = ipaddr.parseCIDR(network);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return 'must be written as an IPv4 network';
  const family = address instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4;
  const first = family.networkAddressFromCIDR(network).toString();
  return first === address.toString() ? undefined : `must begin with its first address: ${first}/${length}`;
}

/** Stricter than `ipaddr.js`, which also reads octal numbers, shortened addresses and zones. */
function isCidr(network: string): boolean {
  const [, address = '', length = ''] = /^([0-9a-f.:]+)\/(\d|[1-9]\d{1,2})$/.exec(network) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(length) <= (version === 4 ? 32 : 128);
}
