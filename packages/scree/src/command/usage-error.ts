/** The command line is wrong. The command prints one line with a hint at the help, and exits with code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
