import { normalizeEmail } from '../../contracts/fields/text.ts';
import { derivedUuid } from '../../crypto/derived-uuid.ts';

/**
 * The id of the invitation of an address to an organization: always the same, so that two invitations of one address at
 * the same moment meet on one item and one of them replaces the other. Pure.
 */
export function invitationId(organizationId: string, email: string): string {
  return derivedUuid(`${organizationId}\n${normalizeEmail(email)}`);
}
