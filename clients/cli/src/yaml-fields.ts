import { isAlias, isMap, isScalar, parseAllDocuments, type Scalar } from 'yaml';
import { type Field, unreadable } from './json-fields.ts';

/**
 * The fields of one flat mapping.
 * @param keepsSource takes every number and boolean as the text that represents it
 * @throws Failure that never quotes the text
 */
export function readYaml(text: string, name: string, { keepsSource = false } = {}): Field[] {
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const [document] = documents;
  if (!Array.isArray(documents) || document === undefined) throw unreadable(name, 'is empty');
  if (documents.length > 1) throw unreadable(name, 'has several documents');
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    const line = text.slice(0, problem.pos[0]).split('\n').length;
    throw unreadable(name, `is not valid YAML (line ${line})`);
  }
  const { contents } = document;
  if (!isMap(contents)) throw unreadable(name, 'is not a mapping of keys to strings');
  return contents.items.map(({ key, value }) => {
    if (!isScalar(key)) throw unreadable(name, 'has a key that is not plain text');
    const own = isAlias(value) ? value.resolve(document) : value;
    if (own === undefined) throw unreadable(name, 'has an alias of nothing');
    return {
      // As it is written: a plain TRUE would become true.
      key: key.type === 'PLAIN' && key.source !== undefined ? key.source : String(key.value),
      value: isScalar(own) ? textOrValue(own, keepsSource) : isMap(own) ? {} : own === null ? null : [],
    };
  });
}

/** Numbers and booleans that every reader of YAML would print like this. */
const plainText = /^(?:0|-?[1-9]\d*|true|false)$/;

/** A plain integer or boolean as its text, which is what a person who wrote `PORT: 5432` means. */
function textOrValue({ value, source, type }: Scalar, keepsSource: boolean): unknown {
  if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'boolean') return value;
  return type === 'PLAIN' && source !== undefined && (keepsSource || plainText.test(source)) ? source : value;
}
