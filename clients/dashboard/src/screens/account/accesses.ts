import type { TokenAccess } from '@holdfast/contracts/fields/role.ts';

export const accessInWords: Readonly<Record<TokenAccess, string>> = {
  names: 'Names only: lists, generates and proposes, but gets no value',
  read: 'Reads secrets',
  write: 'Reads and changes secrets',
  full: 'Everything you can do, except managing passwords and tokens',
};

export const accesses = Object.keys(accessInWords) as readonly TokenAccess[];
