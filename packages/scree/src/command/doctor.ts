import { doctor, formatDiagnosis } from '../doctor.js';
import type { Call } from './command.js';
import { print } from './print.js';

/** `scree doctor`: what this machine has. */
export async function run({ flags }: Call): Promise<void> {
  const diagnosis = await doctor();
  print(`${flags.json ? JSON.stringify(diagnosis) : formatDiagnosis(diagnosis)}\n`);
}
