import { OptionError, ScreeError } from '@scree/core';
import { FileError } from '@scree/files';
import { badFile } from '@scree/files/platform';
import { MessageError } from './postgres-messages.js';

const UNREACHABLE = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EACCES',
];
const CUT_OFF = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'];
/** Codes of Postgres (docs: appendix A, error codes) when the server ends a connection, and of broken connections. */
const SERVER_GONE = /^(57P0[1-5]|08\w{3})$/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/;

/** The step in which an error occurred. `querying`: a query of the user. */
export type Doing = 'connecting' | 'reading' | 'querying';

/** Turns an error of `pg`, of the server or of the network into an error of scree. */
export function postgresError(error: unknown, path: string, doing: Doing): unknown {
  if (!(error instanceof Error) || error instanceof ScreeError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error instanceof MessageError) {
    return new FileError(
      error.tooLarge ? 'TOO_LARGE' : 'BAD_FILE',
      path,
      error.tooLarge
        ? `${path} sends more than the memory allows: ${error.message}. Check that a Postgres server runs there, or allow more memory.`
        : `${path} does not speak as Postgres does: ${error.message}. Check host and port of the address.`,
    );
  }
  // If all addresses of a host fail, there is one error per address; the first is used.
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  const what = first.message.split('\n')[0].replace(/[.\s]+$/, '');
  const details = { value: code || what };
  const fail = (kind: FileError['code'], message: string): FileError => new FileError(kind, path, message, details);
  if (code === '28P01' || code === '28000' || /^SASL|password must be a string/.test(what)) {
    const missing = /must be a (non-empty )?string/.test(what);
    return fail(
      'NO_ACCESS',
      missing
        ? `${path} asks for a password. Put it into PGPASSWORD or into ~/.pgpass.`
        : `${path} refuses this user and password (${what}). Check the user in the address, and PGPASSWORD or ~/.pgpass.`,
    );
  }
  if (code === '42501')
    return fail('NO_ACCESS', `${path}: ${what}. Ask its owner for the right to read (GRANT SELECT).`);
  if (code === '3D000') return fail('NO_FILE', `${path} is not there: ${what}. Check the name after the last /.`);
  if (code === '53300')
    return fail('NO_CONNECTION', `${path} takes no more connections now (${what}). Try again later.`);
  if (CERTIFICATE.test(code) || (doing === 'connecting' && /SSL|TLS|certificate/i.test(what))) {
    return fail(
      'NO_CONNECTION',
      `${path} cannot be reached over TLS: ${what}. Name the authority that signed its certificate with ?sslmode=verify-full&sslrootcert=FILE, or use sslmode=disable where the network is yours.`,
    );
  }
  const gone =
    SERVER_GONE.test(code) ||
    CUT_OFF.includes(code) ||
    /Connection terminated|not queryable|Connection ended/i.test(what);
  if (UNREACHABLE.includes(code) || (gone && doing === 'connecting') || /timeout expired|timeout exceeded/.test(what)) {
    return fail(
      'NO_CONNECTION',
      `${path} cannot be reached (${what}). Check that the server runs and lets you in, and host and port of the address (or PGHOST and PGPORT).`,
    );
  }
  if (gone) return fail('CONNECTION_LOST', `${path} ended the connection while it was used (${what}). Try again.`);
  if (code === '57014') {
    return fail(
      'CONNECTION_LOST',
      `${path} stopped the query (${what}). Where that is a time limit, raise it: ?options=-c%20statement_timeout%3D0.`,
    );
  }
  if (code === '25006')
    return new OptionError('BAD_OPTION', `The query would change the database, and it is only read: ${what}.`, {
      option: 'sql',
      value: what,
    });
  if (doing === 'querying')
    return new OptionError('BAD_OPTION', `The query cannot be answered: ${what}.`, { option: 'sql', value: what });
  return badFile(path, what);
}

/** The error of an address that cannot be parsed. The reason may quote a part of the password, so only known reasons are shown. */
export function badUrl(path: string, error?: unknown): FileError {
  const file = error instanceof Error && /ENOENT|EACCES/.test(error.message) && !/password/i.test(error.message);
  const why = file
    ? `one of its files cannot be read (${error.message})`
    : 'it cannot be understood. Write it as postgres://user@host:5432/database, and in a name or a password / as %2F, @ as %40, : as %3A, ? as %3F and # as %23';
  return new FileError('BAD_FILE', path, `${path} is not an address of a database: ${why}.`);
}
