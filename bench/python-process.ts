import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A Python program beside this folder that obeys one command per line of JSON, and answers each with one line. */
export class PythonProcess {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #name: string;

  constructor(name: string, python: string, script: string, env: Readonly<Record<string, string>> = {}) {
    this.#name = name;
    this.#process = spawn(python, [fileURLToPath(new URL(`../${script}`, import.meta.url))], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    this.#lines = createInterface({ input: this.#process.stdout! })[Symbol.asyncIterator]();
  }

  async ask<Answer>(command: string, options: object = {}): Promise<Answer> {
    this.#process.stdin!.write(`${JSON.stringify({ [command]: options })}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`${this.#name}'s process ended during ${command}`);
    const reply = JSON.parse(value) as Answer & { error?: string };
    if (reply.error) throw new Error(`${this.#name}, ${command}: ${reply.error}`);
    return reply;
  }

  close(): void {
    this.#process.stdin!.end();
  }
}
