import { useMemo } from 'preact/hooks';
import { user } from '../session.ts';
import { usePeople } from '../ui/people.ts';
import { readFilter } from './key-filter.ts';

/** The text of a search field as conditions, with the people whom they may name. They are loaded only then. */
export function useFilter(text: string, slug: string) {
  const filter = useMemo(() => readFilter(text, Date.now()), [text]);
  const { members } = usePeople(
    slug,
    filter.owners.some(owner => owner !== 'me' && owner !== 'nobody'),
  );
  const me = user.value?.id;
  const people = useMemo(() => {
    const names = new Map(members.map(({ userId, name, email }) => [userId, [name, email]]));
    return { me, namesOf: (userId: string) => names.get(userId) ?? [] };
  }, [members, me]);
  return { filter, people };
}
