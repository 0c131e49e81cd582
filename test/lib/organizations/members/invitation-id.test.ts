import { describe, expect, it } from 'vitest';
import { Uuid } from '#lib/contracts/fields/text.ts';
import { invitationId } from '#lib/organizations/members/new-member.ts';

describe('the id of an invitation', () => {
  const organizationId = '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31';

  it('is a UUID of version 8', () => {
    const id = invitationId(organizationId, 'ada@example.com');

    expect(Uuid.safeParse(id).success).toBe(true);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('is the same for an address in any case, and differs for another address or organization', () => {
    const id = invitationId(organizationId, 'ada@example.com');

    expect(invitationId(organizationId, 'Ada@Example.COM')).toBe(id);
    expect(invitationId(organizationId, 'bda@example.com')).not.toBe(id);
    expect(invitationId('9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c32', 'ada@example.com')).not.toBe(id);
  });
});
