export interface Line {
  name: string;
  points: readonly (readonly [x: number, y: number])[];
}

export interface Panel {
  title: string;
  xTitle: string;
  yTitle: string;
  lines: readonly Line[];
}

const width = 420;
const height = 300;
const margin = { left: 56, right: 24, top: 44, bottom: 52 };
const plot = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };

/** Draws charts side by side as an SVG for light and dark pages: x on a logarithmic scale, y from zero. Pure. */
export function drawGrowth(panels: readonly Panel[]): string {
  const total = width * panels.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${total} ${height}" width="${total}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    '<title>How costs grow with what is stored</title>',
    '<style>',
    'text { fill: #24292f } .grid { stroke: #d0d7de } .line { fill: none; stroke-width: 2.5 }',
    '.c0 { stroke: #0969da } .f0 { fill: #0969da } .c1 { stroke: #bc4c00 } .f1 { fill: #bc4c00 }',
    '@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .grid { stroke: #3d444d }',
    '.c0 { stroke: #58a6ff } .f0 { fill: #58a6ff } .c1 { stroke: #f0883e } .f1 { fill: #f0883e } }',
    '</style>',
    ...panels.map((panel, index) => `<g transform="translate(${index * width} 0)">${drawPanel(panel)}</g>`),
    '</svg>',
    '',
  ].join('\n');
}

function drawPanel({ title, xTitle, yTitle, lines }: Panel): string {
  const xs = lines.flatMap(({ points }) => points.map(([x]) => x));
  const [low, high] = [Math.log10(Math.min(...xs)), Math.log10(Math.max(...xs))];
  const top = niceCeiling(Math.max(...lines.flatMap(({ points }) => points.map(([, y]) => y))));
  const left = (x: number) => round(margin.left + ((Math.log10(x) - low) / (high - low)) * plot.width);
  const down = (y: number) => round(margin.top + plot.height - (y / top) * plot.height);
  const powers = Array.from(
    { length: Math.floor(high) - Math.ceil(low) + 1 },
    (_, index) => 10 ** (Math.ceil(low) + index),
  );
  const parts = [`<text x="${margin.left}" y="20" font-weight="600">${title}</text>`];
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const y = down(part * top);
    parts.push(
      `<line class="grid" x1="${margin.left}" x2="${margin.left + plot.width}" y1="${y}" y2="${y}"/>`,
      `<text x="${margin.left - 8}" y="${y + 4}" text-anchor="end">${(part * top).toLocaleString('en')}</text>`,
    );
  }
  for (const power of powers) {
    parts.push(
      `<text x="${left(power)}" y="${margin.top + plot.height + 18}" text-anchor="middle">${power.toLocaleString('en')}</text>`,
    );
  }
  parts.push(
    `<text x="${margin.left + plot.width / 2}" y="${height - 12}" text-anchor="middle">${xTitle}</text>`,
    `<text transform="translate(14 ${margin.top + plot.height / 2}) rotate(-90)" text-anchor="middle">${yTitle}</text>`,
  );
  for (const [index, { name, points }] of lines.entries()) {
    const path = points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${left(x)} ${down(y)}`).join(' ');
    parts.push(`<path class="line c${index}" d="${path}"/>`);
    parts.push(...points.map(([x, y]) => `<circle class="f${index}" cx="${left(x)}" cy="${down(y)}" r="3"/>`));
    parts.push(
      `<circle class="f${index}" cx="${margin.left + 14}" cy="${margin.top + 12 + index * 18}" r="4"/>`,
      `<text x="${margin.left + 24}" y="${margin.top + 16 + index * 18}">${name}</text>`,
    );
  }
  return parts.join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The next number that divides into four round steps. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 4, 8, 10].find(step => step * power >= value) ?? 10);
}
