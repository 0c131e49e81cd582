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
  const [address, length] = ipaddr.parseCIDR(network);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return 'must be written as an IPv4 network';
  const family = address instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4;
  const first = family.networkAddressFromCIDR(network).toString();
  return first === address.toString() ? undefined : `must begin with its first address: ${first}/${length}`;
}
