/** A secret with its name in reports. */
export type Secrets = ReadonlyMap<string, string>;

const computedDisguises = new Map<string, readonly string[]>();

function disguises(secret: string): readonly string[] {
  const computed = computedDisguises.get(secret) ?? disguise(secret);
  computedDisguises.set(secret, computed);
  return computed;
}

function disguise(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // In Base64 of a longer text, a secret has one of three forms, depending on its offset in a group of three bytes.
  const shifted = [0, 1, 2].flatMap(shift => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const core = text.slice(shift === 0 ? 0 : 4, text.length - (text.length % 4 === 0 ? 0 : (text.length % 4) + 1));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    [...secret].reverse().join(''),
    ...shifted,
  ].filter(text => text.length >= 8);
}

/** The names of the secrets in a text, in plain text or encoded. Pure. */
export function secretsIn(text: string, secrets: Secrets): string[] {
  return [...secrets].flatMap(([name, secret]) => (disguises(secret).some(form => text.includes(form)) ? [name] : []));
}

/** The whole content of an item as one text, with bytes raw and in their usual encodings. */
export function textOfItem(value: unknown): string {
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value);
    return `${bytes.toString('latin1')} ${bytes.toString('base64')} ${bytes.toString('hex')}`;
  }
  if (Array.isArray(value)) return value.map(textOfItem).join('\n');
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, inner]) => `${name}: ${textOfItem(inner)}`)
      .join('\n');
  }
  return String(value);
}
