import { describeValue, ModelError } from '../../errors.js';

/**
 * The reader of a format version. Files of old versions stay readable: a new version adds a reader, and the readers of the
 * old ones are kept. `test/golden` has files of every version that was released.
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
