// Runs a part of a bench in a child process and calls it over the IPC channel.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

type Method = (argument: never) => unknown;

/** In the parent: calls methods by name; a failure in the child is a failure here. */
export class Worker<Methods extends Record<string, Method>> {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;

  constructor(file: URL, { args = [], execArgv = [], env }: WorkerProcess = {}) {
    this.#child = fork(fileURLToPath(file), args, { execArgv, ...(env && { env }) });
    this.#child.on('message', ({ call, result, error }: Answer) => {
      const asked = this.#open.get(call);
      this.#open.delete(call);
      if (error === undefined) asked?.resolve(result);
      else asked?.reject(new Error(error));
    });
    this.#child.on('exit', (code) => {
      for (const asked of this.#open.values()) asked.reject(new Error(`exited with ${code}`));
    });
  }

  async call<Name extends keyof Methods & string>(
    name: Name,
    ...[argument]: Parameters<Methods[Name]>
  ): Promise<Awaited<ReturnType<Methods[Name]>>> {
    const call = ++this.#calls;
    const asked = Promise.withResolvers<unknown>();
    this.#open.set(call, asked);
    this.#child.send({ call, name, argument: argument ?? null });
    return (await asked.promise) as Awaited<ReturnType<Methods[Name]>>;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when it has ended by itself. */
  async ended(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    await new Promise((resolve) => this.#child.once('exit', resolve));
  }

  async end(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    await gone;
  }
}

interface WorkerProcess {
  readonly args?: string[];
  readonly execArgv?: string[];
  /** Replaces the environment of this process. */
  readonly env?: Record<string, string | undefined>;
}

interface Question {
  readonly call: number;
  readonly name: string;
  readonly argument: unknown;
}

interface Answer {
  readonly call: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** In the child: answers until the parent disconnects. */
export function serve(methods: Record<string, Method>): void {
  process.on('message', async ({ call, name, argument }: Question) => {
    try {
      const method = methods[name] as ((argument: unknown) => unknown) | undefined;
      process.send?.({ call, result: await method?.(argument) });
    } catch (error) {
      process.send?.({ call, error: error instanceof Error ? `${error.stack}` : String(error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
}
