import { doctor, formatDiagnosis } from '../doctor.js';
import type { Call } from './command.js';

/** `scree doctor`: what this machine has. */
export async function run({ flags }: Call): Promise<void> {
  const diagnosis = await doctor();
  process.stdout.write(`${flags.json ? JSON.stringify(diagnosis) : formatDiagnosis(diagnosis)}\n`);
}
