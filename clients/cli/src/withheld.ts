/**
 * Variables that hold or name a credential, and the notes of the shell at the head of the bundle. Programs started by the
 * command line never get them.
 */
export const withheldPrefixes = ['HOLDFAST_TOKEN', 'HOLDFAST_ID_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_', 'HOLDFAST_SHELL'];

/** @param ignoresCase as Windows does */
export function isWithheld(name: string, ignoresCase = process.platform === 'win32'): boolean {
  const compared = ignoresCase ? name.toUpperCase() : name;
  return withheldPrefixes.some(prefix => compared.startsWith(prefix));
}

export function environmentWithoutCredentials(): Record<string, string> {
  const entries = Object.entries(process.env as Record<string, string>);
  return Object.fromEntries(entries.filter(([name]) => !isWithheld(name)));
}
