/** A secret by the name it is reported under. */
export type Secrets = ReadonlyMap<string, string>;

/** Ways in which a text can stand in another one without being readable at first sight. */
function disguises(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Base64 of a longer text holds one of three forms, by where in a group of three bytes the secret begins.
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

/** The names of the secrets that a text holds, clear or in another notation. Pure. */
export function secretsIn(text: string, secrets: Secrets): string[] {
  return [...secrets].flatMap(([name, secret]) => (disguises(secret).some(one => text.includes(one)) ? [name] : []));
}

/** All that an item holds as one text: bytes as themselves and as their usual notations. */
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
