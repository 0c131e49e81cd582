import { maySeeMember, pathOfMember } from './member-name.tsx';
import type { People } from './people.ts';

interface OwnerNameProps {
  slug: string;
  people: People;
  /** A user id. */
  owner: string;
}

/** Who renews a value, with a link to their page for those who may see it. */
export function OwnerName({ slug, people, owner }: OwnerNameProps) {
  const member = people.find(owner);
  const name = people.nameOf(owner);
  if (member === undefined || !maySeeMember(slug, member.id)) return <span title={member?.email}>{name}</span>;
  return (
    <a href={pathOfMember(slug, member.id)} title={member.email}>
      {name}
    </a>
  );
}
