/**
 * Removes secrets from addresses before they are printed or stored: in messages, reports, models and checkpoints. Every start of the
 * command loads this file to remove secrets from its arguments, so the file imports nothing.
 */

/** An address: spaces or a quotation mark from copying it, schemes such as jdbc:postgresql://, and the rest. */
const ADDRESS = /^([\s\u200b\ufeff'"<]*)((?:[a-z][a-z0-9+.-]*:)+\/\/)(.*)$/is;
/** An address whose slashes are missing. */
const CUT_ADDRESS =
  /^([\s\u200b\ufeff'"<]*(?:jdbc|odbc|postgres|postgresql|pg|mysql|mariadb|sqlserver|mssql|oracle|mongodb|redis|sc):)(.*)$/is;
/** A connection string of other programs: host=… password=…, separated by spaces or semicolons. */
const KEYWORDS =
  /^\s*(host|hostaddr|server|data source|dbname|database|port|user|uid|user id|password|pwd|service|driver)\s*=/i;
const KEYWORD_PASSWORD = /(?:^|[\s;])(?:ssl)?(?:password|passwd|pwd)\s*=/i;
const FLAG = /^--?[a-z][\w-]*=/i;

const POSTGRES = /^postgres(ql)?:\/\/$/i;
const SPARK = /^sc:\/\/$/i;
/** Parameters of Postgres and of Spark that can be shown. Any other parameter may be a secret. */
const POSTGRES_SHOWN = new Set(
  'host hostaddr port user dbname database sslmode sslnegotiation sslrootcert sslcert sslkey sslcrl sslsni ssl uselibpqcompat channel_binding require_auth connect_timeout target_session_attrs application_name fallback_application_name client_encoding encoding options keepalives keepalives_idle statement_timeout lock_timeout query_timeout idle_in_transaction_session_timeout passfile schema search_path'.split(
    ' ',
  ),
);
const SPARK_SHOWN = new Set(['use_ssl', 'user_id']);
/** Names of parameters that hold secrets, in addresses that scree does not read. */
const SECRET = /pass|pwd|secret|token|key|sig|credential|auth|session|^pw$/i;

/**
 * Returns an address without passwords, tokens and anything that may be one. Returns other texts unchanged. The user is shown for Postgres
 * only, because in other addresses a token may stand there.
 */
export function hideSecrets(text: string): string {
  const [flag] = FLAG.exec(text) ?? [''];
  if (flag) return flag + hideSecrets(text.slice(flag.length));
  const [, before, scheme, rest] = ADDRESS.exec(text) ?? [];
  if (scheme !== undefined) return before + scheme + shownOf(scheme, rest);
  const [, name, behind] = CUT_ADDRESS.exec(text) ?? [];
  if (name !== undefined && (behind.includes('@') || namesSecret(behind))) return `${name}…`;
  const [, keyword] = KEYWORDS.exec(text) ?? [];
  return keyword !== undefined && KEYWORD_PASSWORD.test(text) ? `${keyword}=…` : text;
}

/** Returns true if a text is an address, and not the name of a file. */
export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** The visible part of an address after its scheme. */
function shownOf(scheme: string, rest: string): string {
  const authority = authorityOf(rest);
  const behind = rest.slice(authority.length);
  const postgres = POSTGRES.test(scheme);
  const [userinfo, host] = splitUser(authority);
  const user = postgres && userinfo !== undefined ? userinfo.replace(/(?::|%3a).*$/is, '') : undefined;
  // A / ? or # in a password must be written as %2F, %3F or %23. Otherwise the address ends there, and the rest is not shown.
  if (userinfo === undefined && endsInPassword(rest)) return postgres ? authority.replace(/(?::|%3a).*$/is, '') : '…';
  const place = user === undefined ? host : `${user}@${host}`;
  if (SPARK.test(scheme)) {
    const shown = parametersOf(behind, SPARK_SHOWN);
    return shown.length === 0 ? place : `${place}/;${shown.join(';')}`;
  }
  const [path] = /^[^?#;]*/.exec(behind) as RegExpExecArray;
  if (postgres) {
    const shown = parametersOf(behind.slice(path.length).replace(/#.*$/s, ''), POSTGRES_SHOWN);
    return `${place}${path}${shown.length === 0 ? '' : `?${shown.join('&')}`}`;
  }
  return `${place}${namesSecret(behind) ? path : behind}`;
}

/** The part of an address between its scheme and its path: user, password, host and port. */
export function authorityOf(rest: string): string {
  return (/^[^/?#;]*/.exec(rest) as RegExpExecArray)[0];
}

/** Splits user and password from the host. %40 counts as @ if there is no @. */
function splitUser(authority: string): [string | undefined, string] {
  const at = authority.lastIndexOf('@');
  if (at >= 0) return [authority.slice(0, at), authority.slice(at + 1)];
  const escaped = authority.lastIndexOf('%40');
  return escaped < 0 ? [undefined, authority] : [authority.slice(0, escaped), authority.slice(escaped + 3)];
}

/** Returns true if the part after a scheme seems to contain an unescaped password: one with /, ? or #, which end the authority. */
export function endsInPassword(rest: string): boolean {
  const authority = authorityOf(rest);
  const behind = rest.slice(authority.length);
  if (authority.includes('@')) return false;
  // A user and a password follow the host.
  if (/^[^?#]*:[^/?#]*@/.test(behind)) return true;
  const host = authority.replace(/^\[[^\]]*\]/, '');
  if (!host.includes(':')) return false;
  // Only a port may follow a host.
  return !/:\d*$/.test(host) || /^[^?]*@/.test(behind);
}

/** The parameters that can be shown, as they are written. */
function parametersOf(text: string, shown: ReadonlySet<string>): string[] {
  return text.split(/[?&;#]/).filter((each) => {
    const equals = each.indexOf('=');
    return equals > 0 && shown.has(decoded(each.slice(0, equals)).trim().toLowerCase());
  });
}

function namesSecret(text: string): boolean {
  return text.split(/[?&;#\s]/).some((each) => SECRET.test(decoded(each.split('=', 1)[0])) && each.includes('='));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A parameter that cannot be decoded is not shown.
    return 'secret';
  }
}
