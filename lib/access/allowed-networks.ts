import { BlockList, isIP } from 'node:net';
import type { Access } from '../contracts/contract.ts';
import type { NetworkUser } from '../contracts/fields/allowed-networks.ts';
import { ApiError } from '../core/errors.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import type { Caller } from './authenticate.ts';

/** Whether the address is in one of the networks. Without a list, every address is allowed. */
export function isAllowed(networks: readonly string[] | null | undefined, ip: string): boolean {
  if (networks === null || networks === undefined) return true;
  const version = isIP(ip);
  if (version === 0) return false;
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    list.addSubnet(address, Number(length), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list.check(ip, version === 6 ? 'ipv6' : 'ipv4');
}

/** @throws network_not_allowed */
export function requireNetwork(
  { allowedNetworks }: Pick<OrganizationRecord, 'allowedNetworks'>,
  user: NetworkUser,
  ip: string,
): void {
  if (isAllowed(allowedNetworks?.[user], ip)) return;
  const message = `This organization accepts requests only from its own networks, and ${ip} is in none of them.`;
  throw new ApiError('network_not_allowed', message);
}

/** From everywhere, members can leave, and owners can stop a recovery. @throws network_not_allowed */
export function requireNetworkOf(caller: Caller | undefined, access: Access, ip: string): void {
  if (caller?.access === undefined || (access.kind === 'member' && access.leaves === true)) return;
  requireNetwork(caller.access.organization, caller.principal.identity === undefined ? 'people' : 'machines', ip);
}
