/** Variables that hold or name a credential. Programs started by the command line never get them. */
const withheld = /^(?:HOLDFAST_TOKEN|HOLDFAST_ID_TOKEN|ACTIONS_ID_TOKEN_REQUEST_)/;

export const isWithheld = (name: string): boolean => withheld.test(name);

export function environmentWithoutCredentials(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isWithheld(name)));
}
