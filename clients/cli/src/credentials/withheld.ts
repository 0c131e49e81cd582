/** What signs in. No program that this one starts gets it. */
export const withheld: readonly string[] = [
  'HOLDFAST_TOKEN',
  'HOLDFAST_TOKEN_FILE',
  'HOLDFAST_ID_TOKEN',
  'HOLDFAST_ID_TOKEN_FILE',
];

export function environmentWithoutCredentials(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !withheld.includes(name)));
}
