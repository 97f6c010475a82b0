/** The command line itself is wrong: exit 2, one line, and where to look. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
