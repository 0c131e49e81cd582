/* Without zod or Node, because the command line and the dashboard load it too. */

export const minGeneratedLength = 8;
export const maxGeneratedLength = 4096;
export const usualGeneratedLength = 32;

/** Rejects the name of an alphabet, such as `hex`, which would give a value of three letters that is easy to guess. */
export const minAlphabet = 10;
export const maxAlphabet = 1000;

export const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
