// Controls one running container: commands, health and stopping.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from './engine.ts';

/** Only guards against hanging. Nothing measured depends on it. */
const PATIENCE_MS = 300_000;

export async function waitUntil<T>(what: string, probe: () => Promise<T | null>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await probe();
    if (found !== null) return found;
    if (Date.now() > deadline) throw new Error(`Waited ${PATIENCE_MS / 1_000} s for ${what}.`);
    await sleep(500);
  }
}

export interface Container {
  readonly name: string;
  /** Runs a command inside and returns its output. Throws if it fails. */
  exec(...command: readonly string[]): Promise<string>;
  /** Waits until a command inside exits with 0, and returns its output. */
  untilSucceeds(...command: readonly string[]): Promise<string>;
  /** Waits until the image's or the service's own health check passes. */
  untilHealthy(): Promise<void>;
  inspect(format: string): Promise<string>;
  start(): Promise<void>;
  /** Stops it and returns the seconds that took. Throws unless it ended by itself with `code`. */
  stop(code?: number): Promise<number>;
  remove(): Promise<void>;
}

export function containerNamed(engine: Engine, name: string): Container {
  const inspect = (format: string) => engine.podman('inspect', '--format', format, name);
  /** A container that has exited for good fails at once, with its last output. */
  const until = (what: string, args: readonly string[]) =>
    waitUntil(what, async () => {
      const { code, stdout } = await engine.tryPodman(args);
      if (code === 0) return stdout.trim();
      const state = await inspect('{{.State.Status}}');
      if (state !== 'exited' || (await inspect('{{.HostConfig.RestartPolicy.Name}}')) !== 'no') {
        return null;
      }
      const { stdout: out, stderr } = await engine.tryPodman(['logs', '--tail', '20', name]);
      throw new Error(`${name} has ended.\n${out}${stderr}`);
    });
  return {
    name,
    inspect,
    exec: (...command) => engine.podman('exec', name, ...command),
    untilSucceeds: (...command) => until(`"${command.join(' ')}"`, ['exec', name, ...command]),
    async untilHealthy() {
      await until(`${name} to be healthy`, ['healthcheck', 'run', name]);
    },
    async start() {
      await engine.podman('start', name);
    },
    async stop(code = 0) {
      const began = performance.now();
      await engine.podman('stop', name);
      const seconds = (performance.now() - began) / 1_000;
      const ended = await inspect('{{.State.ExitCode}}');
      if (ended !== String(code))
        throw new Error(`${name} ended with ${ended} and not with ${code}.`);
      return seconds;
    },
    async remove() {
      await engine.tryPodman(['rm', '--force', '--time', '0', name]);
    },
  };
}
