import { stripVTControlCharacters } from 'node:util';

const palettes = {
  light: {
    page: '#fbfaf6',
    ink: '#1d2b26',
    quiet: '#66756d',
    created: '#1a7340',
    updated: '#8a5a00',
    deleted: '#a8322a',
  },
  dark: {
    page: '#111815',
    ink: '#e8efe9',
    quiet: '#93a39a',
    created: '#7fd1a0',
    updated: '#e0b15c',
    deleted: '#f0938a',
  },
} as const;

const kinds: Readonly<Record<string, 'created' | 'updated' | 'deleted'>> = {
  '+': 'created',
  '~': 'updated',
  '-': 'deleted',
};
const lineHeight = 20;
const characterWidth = 8.1;
const margin = 20;
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Draws the output of commands as a terminal. Lines of a plan are colored by their kind. */
export function terminalSvg(
  said: readonly { command: string; output: string }[],
  scheme: keyof typeof palettes,
): string {
  const palette = palettes[scheme];
  const lines = said.flatMap(({ command, output }) => [
    { text: `$ ${command}`, color: palette.ink, weight: 600 },
    ...stripVTControlCharacters(output)
      .replaceAll('\r', '')
      .trimEnd()
      .split('\n')
      .map(text => ({ text, color: palette[kinds[text.trimStart()[0] ?? ''] ?? 'quiet'], weight: 400 })),
    { text: '', color: palette.ink, weight: 400 },
  ]);
  lines.pop();
  const width = Math.ceil(Math.max(...lines.map(({ text }) => text.length)) * characterWidth) + 2 * margin;
  const height = lines.length * lineHeight + 2 * margin;
  const rows = lines.map(
    ({ text, color, weight }, index) =>
      `<text x="${margin}" y="${margin + index * lineHeight + 14}" fill="${color}" font-weight="${weight}">${escaped(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13.4" xml:space="preserve" role="img" aria-label="A terminal">
<rect width="${width}" height="${height}" rx="8" fill="${palette.page}"/>
${rows.join('\n')}
</svg>
`;
}
