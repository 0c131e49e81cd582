import { normalizeEmail } from '../../contracts/fields/text.ts';
import { derivedUuid } from '../../crypto/derived-uuid.ts';

/**
 * The id of an address's invitation to an organization. It is always the same, so concurrent invitations to one address
 * write the same item, and one replaces the other. Pure.
 */
export function invitationId(organizationId: string, email: string): string {
  return derivedUuid(`${organizationId}\n${normalizeEmail(email)}`);
}
