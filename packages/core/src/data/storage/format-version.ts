import { describeValue, ModelError } from '../../errors.js';

/**
 * Returns the reader of a format version. A new version adds a reader and keeps the older ones, so that old files stay readable.
 * `test/golden` has files of every released version.
 */
export function readerOf<Reader>(readers: Readonly<Record<number, Reader>>, version: unknown, what: string): Reader {
  const newest = Math.max(...Object.keys(readers).map(Number));
  if (typeof version === 'number' && Number.isSafeInteger(version) && version > newest) {
    throw new ModelError(
      'MODEL_TOO_NEW',
      `${what} format version ${version}, and this scree reads up to version ${newest}. Update scree.`,
      { value: version, expected: newest },
    );
  }
  if (typeof version === 'number' && Object.hasOwn(readers, version)) return readers[version];
  throw new ModelError('BAD_MODEL', `${what} format version ${describeValue(version)}, which does not exist.`);
}
