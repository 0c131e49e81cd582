/** The longest age after which a value is due. Apart from `due.ts`, for clients that have no schemas. */
export const maximumAgeDays = 3650;
