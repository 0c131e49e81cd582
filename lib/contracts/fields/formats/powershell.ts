import { type Format, lines, nul, type Refusal } from './format.ts';

/**
 * PowerShell 5.1 to 7. Without a byte order mark, 5.1 reads a script in the machine's code page, so anything but plain
 * ASCII is written as Base64.
 */
export const powershell: Format = {
  ignoresCase: true,
  refuses: (_, value) => {
    if (value.includes('\0')) return nul;
    // about_Environment_Variables: before 7.5, setting a variable to an empty string removes it.
    if (value === '') return 'is empty, and PowerShell before 7.5 removes such a variable';
    return undefined;
  },
  refusesTogether: entries => {
    const first = new Map<string, string>();
    return entries.flatMap(([key]): Refusal[] => {
      const other = first.get(key.toLowerCase());
      first.set(key.toLowerCase(), key);
      // Variable names are case-insensitive on Windows.
      return other === undefined ? [] : [{ key, reason: `differs from ${other} only in case` }];
    });
  },
  write: lines((key, value) => `\${env:${key}} = ${expressionOf(value)}`),
};

function expressionOf(value: string): string {
  if (/^[ -~]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return `[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${Buffer.from(value).toString('base64')}'))`;
}
