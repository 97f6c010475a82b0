/** Puts the lab's built page where `scree lab` finds it, and where it is published with the package. */
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// Names of assets carry their checksums: old ones would stay for ever.
rmSync(here('dist/lab-server/page'), { recursive: true, force: true });
cpSync(here('../lab/dist'), here('dist/lab-server/page'), { recursive: true });
