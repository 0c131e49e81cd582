/** The user a read is made for where there is no such account, so that both cases take the same waves. */
export const nobody = '00000000-0000-0000-0000-000000000000';
