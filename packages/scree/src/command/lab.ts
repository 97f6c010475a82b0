import { once } from 'node:events';
import { openBrowser } from '../lab/open-browser.js';
import { readPage } from '../lab/page-files.js';
import { LabServer } from '../lab/server.js';
import { SharedFile } from '../lab/shared-file.js';
import type { Call } from './command.js';
import { Narrator } from './terminal.js';
import { UsageError } from './usage-error.js';

/** `scree lab`: the lab in the browser, from a server on this machine. Ctrl-C is how it ends, so that is no failure. */
export async function run({ words: [path], flags, signal }: Call): Promise<void> {
  if (path === '-') throw new UsageError('The lab reads its data more than once: name a file, not standard input.');
  const narrator = new Narrator({ quiet: flags.quiet === true });
  const data = path === undefined ? undefined : await SharedFile.find(path);
  const page = await readPage();
  const lab = await LabServer.start({ page, data, port: flags.port as number | undefined });
  try {
    process.stdout.write(`The lab is at ${lab.address} (Ctrl-C ends it)\n`);
    if (flags['no-open'] !== true) {
      openBrowser(lab.addressForBrowser, () => narrator.say('No browser could be started: open that address in one.'));
    }
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await lab.close();
  }
}
