/** The id that is read when there is no such account, so that both cases make the same calls. */
export const nobody = '00000000-0000-0000-0000-000000000000';
