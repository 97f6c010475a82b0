import { once } from 'node:events';
import { isServerUrl } from '../database/postgres-url.js';
import { openBrowser } from '../lab-server/open-browser.js';
import { readPage } from '../lab-server/page-files.js';
import { writeRedirect } from '../lab-server/redirect.js';
import { LabServer } from '../lab-server/server.js';
import { SharedFile } from '../lab-server/shared-file.js';
import type { Call } from './command.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** If the browser has not loaded the page after this many milliseconds, it probably cannot be started. */
const PATIENCE = 5_000;

/** `scree lab`: the lab in the browser, from a server on this machine. The user ends it with Ctrl-C, so Ctrl-C is not a failure. */
export async function run({ positionals: [path], flags, signal }: Call): Promise<void> {
  if (path === '-') throw new UsageError('The lab reads its data more than once: name a file, not standard input.');
  if (isServerUrl(path))
    throw new UsageError(
      'The lab reads files: export the rows first, or use scree analyze or scree report on the database.',
    );
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const data = path === undefined ? undefined : await SharedFile.find(path);
  const page = await readPage();
  let stopWaiting = (): void => {};
  const lab = await LabServer.start({
    page,
    data,
    port: flags.port as number | undefined,
    onOpened: () => stopWaiting(),
  });
  try {
    process.stdout.write(`The lab is at ${lab.address} (Ctrl-C ends it)\n`);
    if (flags['no-open'] !== true) stopWaiting = openPage(lab, (line) => terminal.note(line));
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    stopWaiting();
    await lab.close();
  }
}

/** Opens the page in the system's browser. Call the returned function when the page was opened, or at the end. */
function openPage(lab: LabServer, say: (line: string) => void): () => void {
  const failed = (): void => say('No browser could be started: open that address in one.');
  try {
    const redirect = writeRedirect(lab.addressForBrowser);
    const timer = setTimeout(() => {
      say('The browser has not asked for the page. If it cannot read this file, open the address above in it:');
      say(`${redirect.path} (Snap and Flatpak keep browsers out of some folders)`);
    }, PATIENCE);
    openBrowser(redirect.path, () => {
      clearTimeout(timer);
      failed();
    });
    return () => {
      clearTimeout(timer);
      redirect.remove();
    };
  } catch {
    failed();
    return () => {};
  }
}
