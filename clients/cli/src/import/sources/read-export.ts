import type { NewValues } from '@holdfast/sdk';
import type { PlaceMember } from '../../settings/settings-file.ts';
import type { Destination } from '../destination.ts';
import type { Exported, SourceFile } from '../exported.ts';
import { placeValues, readMap } from '../placing.ts';
import { settle } from '../settle.ts';
import type { ReadYaml, Source, SourceName } from '../source.ts';
import { sources } from './all-sources.ts';

/* What only `import` needs: all sources, and where their values go. Loaded on demand. */

export function sourceNamed(name: SourceName): Source {
  return sources[name];
}

interface Choices {
  /** The file of `--map`. */
  map: SourceFile | undefined;
  /** The setting for what the source does not name. */
  defaultOf: (member: PlaceMember) => Promise<string>;
  readYaml: ReadYaml;
}

/** What each environment gets of these files, and what can't come along. @throws Failure for a file that is no export */
export async function readExport(
  source: Source,
  files: readonly SourceFile[],
  { map, defaultOf, readYaml }: Choices,
): Promise<{ exported: Exported; contents: { destination: Destination; set: NewValues }[] }> {
  const places = map === undefined ? new Map<string, null>() : readMap(map);
  const exported: Exported = { values: [], refused: [], left: [] };
  source.read(files, exported, readYaml);
  const destinations = await placeValues(exported, places, defaultOf);
  const contents = destinations.map(destination => ({ destination, set: settle(destination, exported) }));
  return { exported, contents: contents.filter(({ set }) => Object.keys(set).length > 0) };
}
