// Runs a part of a bench in a child process and calls it over the IPC channel.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

type Method = (argument: never) => unknown;

/** In the parent: calls methods by name; a failure in the child is a failure here. */
export class Worker<Methods extends Record<string, Method>> {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;

  constructor(
    file: URL,
    { args = [], execArgv = [] }: { args?: string[]; execArgv?: string[] } = {},
  ) {
    this.#child = fork(fileURLToPath(file), args, { execArgv });
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

  async end(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    await gone;
  }
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
