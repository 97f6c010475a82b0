import { DataError, OptionError, ScreeError } from '@scree/core';
import { FileError } from '@scree/files';
import { badFile } from '@scree/files/platform';
import { hideSecrets } from '../database/hide-secrets.js';
import { GrpcError, LargeMessageError, STATUS } from './grpc.js';
import { ProtobufError } from './protobuf.js';

/** The step in which an error occurred. `querying`: a query of the user. `computing`: our Python on the executors. */
export type SparkStep = 'connecting' | 'reading' | 'querying' | 'computing' | 'writing';

const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/;

/** Our Python cannot run on the executors. Rows can still be read. The message is the reason, as part of a sentence. */
export class NoPythonError extends Error {}

/** The executors have another version of Python than the function was made for. */
export class PythonVersionError extends Error {
  readonly version: string;

  constructor(version: string) {
    super(`the executors have Python ${version}`);
    this.version = version;
  }
}

/** Turns an error of Spark or of the network into an error of scree. */
export function sparkError(error: unknown, path: string, doing: SparkStep): unknown {
  if (error instanceof ProtobufError) return badFile(path, `it does not speak Spark Connect: ${error.message}`);
  if (!(error instanceof GrpcError) || error instanceof ScreeError) return error;
  const { status, system, message: text } = error;
  const what = shortened(text);
  const details = { value: system ?? what };
  const fail = (kind: FileError['code'], message: string): FileError => new FileError(kind, path, message, details);
  if (status === STATUS.unauthenticated || /invalid (authentication )?token|Unauthenticated/i.test(text)) {
    return fail(
      'NO_ACCESS',
      `${path} refuses the token, or asks for one (${what}). Put it into SPARK_CONNECT_AUTHENTICATE_TOKEN, or after the address: ;use_ssl=true;token=….`,
    );
  }
  if (error instanceof LargeMessageError) {
    return fail(
      'TOO_LARGE',
      `${path} sends more than the memory allows (${what}). Choose fewer columns, or allow more memory.`,
    );
  }
  if (system !== undefined && CERTIFICATE.test(system)) {
    return fail(
      'NO_CONNECTION',
      `${path} cannot be reached over TLS: ${what}. Add ;use_ssl=true to the address only if the server has TLS, and name the authority that signed its certificate in NODE_EXTRA_CA_CERTS.`,
    );
  }
  if (system !== undefined && (doing === 'connecting' || UNREACHABLE.test(system))) {
    return fail(
      'NO_CONNECTION',
      `${path} cannot be reached (${what}). Check host and port of the address, that a Spark Connect server runs there, and ;use_ssl=true if it has TLS.`,
    );
  }
  // The server no longer knows the operation or the session: it was restarted, or waited too long.
  if (system !== undefined || /INVALID_HANDLE|INVALID_CURSOR/.test(text))
    return fail('CONNECTION_LOST', `${path} ended the connection while it was used (${what}). Try again.`);
  if (doing === 'computing' || doing === 'writing') {
    const known = pythonError(text);
    if (known) return known;
  }
  if (status === STATUS.permissionDenied)
    return fail('NO_ACCESS', `${path} refuses this: ${what}. Ask its owner for the right to read.`);
  if (/TABLE_OR_VIEW_NOT_FOUND|table or view .*not found|no table named/i.test(text)) {
    if (doing === 'reading')
      return fail('NO_FILE', `${path} has no such table: ${what}. Check its name: catalog.schema.table.`);
  }
  if (/TABLE_OR_VIEW_ALREADY_EXISTS|already exists/i.test(text) && doing === 'writing')
    return fail('BAD_FILE', `${path} has a table of that name (${what}). Drop it first, or choose another name.`);
  if (doing === 'querying')
    return new OptionError('BAD_OPTION', `The query cannot be answered: ${what}.`, { option: 'sql', value: what });
  return fail('BAD_FILE', `${path} cannot do this: ${what}.`);
}

/** The error that our Python code reported from an executor. Undefined if Spark's text is not such an error. */
function pythonError(text: string): unknown {
  const ragged = /scree-list: (\d+) (\d+)/.exec(text);
  if (ragged) {
    const [, length, expected] = ragged.map(Number);
    return new DataError(
      'RAGGED_ROWS',
      `A row has a list of ${length}, but the first row has ${expected}. Leave the column out, or make all lists equally long.`,
      { value: length, expected, reason: 'list-length' },
    );
  }
  const [, bad, column] = /scree-(gap|infinite): (\d+)/.exec(text) ?? [];
  if (bad !== undefined) {
    const [code, what] =
      bad === 'gap' ? (['MISSING_VALUES', 'a missing'] as const) : (['NOT_FINITE', 'an infinite'] as const);
    return new DataError(code, `Column ${Number(column) + 1} has ${what} value.`, { column: Number(column) });
  }
  const versions = /PYTHON_VERSION_MISMATCH|different (?:minor )?version/i.test(text)
    ? (/worker(?: is)?[^0-9]{0,60}\(?(\d)[.,]\s*(\d+)/i.exec(text) ?? /(\d)\.(\d+)/.exec(text))
    : /Python version.*?server[^0-9]*(\d)\.(\d+)/i.exec(text);
  if (versions) return new PythonVersionError(`${versions[1]}.${versions[2]}`);
  const missing =
    /No module named '?([\w.]+)/.exec(text) ?? /(PyArrow|Pandas|NumPy) >= ?\S+ must be installed/i.exec(text);
  if (missing) return new NoPythonError(`the executors lack the Python package ${missing[1].toLowerCase()}`);
  if (/cannot run program|No such file or directory.*python/i.test(text))
    return new NoPythonError('the executors have no Python');
  if (
    /UDF|user.defined function|python function|mapInArrow|MapPartitions/i.test(text) &&
    /not (allowed|supported|permitted)|forbidden|disabled|unsupported|denied|not implemented/i.test(text)
  )
    return new NoPythonError('the server does not allow functions in Python');
  return undefined;
}

/** The first line of Spark's message, without error class and advice. */
function shortened(text: string): string {
  const [line] = text.trim().split('\n');
  const short = line
    .replace(/^\[([A-Z_.]+)\] /, '')
    .replace(/ SQLSTATE: \w+$/, '')
    .replace(/[.;\s]+$/, '');
  return short.length > 300 ? `${short.slice(0, 300)}…` : short;
}

export function badSparkUrl(url: string): FileError {
  const path = hideSecrets(url);
  const how = 'Write it as sc://host:15002, with settings after it: sc://host:15002/;use_ssl=true;token=…';
  return new FileError(
    'BAD_FILE',
    path,
    `${path} is not an address of Spark Connect: it cannot be understood. ${how}.`,
  );
}

export function unsafeToken(path: string): FileError {
  const message = `${path} would get the token unencrypted. Add ;use_ssl=true to the address.`;
  return new FileError('NO_ACCESS', path, message);
}
