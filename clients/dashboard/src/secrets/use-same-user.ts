import { useEffect, useState } from 'preact/hooks';
import { user } from '../session.ts';

/** Whether the user is the one who opened this. When another person signs in over the page, it is closed. */
export function useSameUser(onClose: () => void): boolean {
  const [openedBy] = useState(user.value?.id);
  const isSame = openedBy === user.value?.id;
  useEffect(() => {
    if (!isSame) onClose();
  }, [isSame]);
  return isSame;
}
