import { createHash } from 'node:crypto';
import { normalizeEmail } from '../../contracts/fields/text.ts';

/**
 * The id of the invitation of an address to an organization: always the same UUID (version 8, RFC 9562), so that two
 * invitations of one address at the same moment meet on one item and one of them replaces the other. Pure.
 */
export function invitationId(organizationId: string, email: string): string {
  const bytes = createHash('sha256')
    .update(`${organizationId}\n${normalizeEmail(email)}`)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
