/** The words of a text, for lists that are easier to read in lines. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
