/** The command did its work, and what it found is not acceptable. The command prints one line and exits with code 3. */
export class FailedCheck extends Error {
  override readonly name = 'FailedCheck';
}
