import { type Format, lines, nul, type Refusal } from './format.ts';

/**
 * PowerShell 5.1 to 7. Without a byte order mark 5.1 takes a script for the machine's code page, so that whatever is not
 * plain ASCII is written as Base64.
 */
export const powershell: Format = {
  refuses: (_, value) => {
    if (value.includes('\0')) return nul;
    // about_Environment_Variables: only from 7.5 on an empty string does not remove the variable.
    if (value === '') return 'is empty, and PowerShell before 7.5 removes such a variable';
    return undefined;
  },
  refusesTogether: entries => {
    const first = new Map<string, string>();
    return entries.flatMap(([key]): Refusal[] => {
      const other = first.get(key.toLowerCase());
      first.set(key.toLowerCase(), key);
      // On Windows the names of variables are compared without case.
      return other === undefined ? [] : [{ key, reason: `differs from ${other} by case alone` }];
    });
  },
  write: lines((key, value) => `\${env:${key}} = ${expressionOf(value)}`),
};

function expressionOf(value: string): string {
  if (/^[ -~]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return `[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${Buffer.from(value).toString('base64')}'))`;
}
