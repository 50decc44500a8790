// Vectors from any server with OpenAI's `/embeddings`. Texts leave the machine unless the server stands on it.
// How long a vector is, it tells with its first answer.
import { RelayError } from '@relay/core/errors';
import type { Embedder } from '@relay/core/ports/embedder';
import { normalised } from './normalised.ts';

export interface Endpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | null;
}

const AT_ONCE = 64;
/** How often a call is tried again before the caller hears of it; a server that says when is obeyed. */
const RETRIES = 2;
const TIMEOUT_MS = 60_000;

export async function endpointEmbedder({ baseUrl, model, apiKey }: Endpoint): Promise<Embedder> {
  const [{ createOpenAICompatible }, { embedMany }] = await Promise.all([
    import('@ai-sdk/openai-compatible'),
    import('ai'),
  ]);
  // Its warnings would go to the console, and may quote what somebody wrote.
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
    atOnce: AT_ONCE,
    async embed(texts, signal) {
      const over = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await embedMany({
        model: embedding,
        values: [...texts],
        maxRetries: RETRIES,
        abortSignal: signal === undefined ? over : AbortSignal.any([over, signal]),
      }).catch((error: unknown) => {
        throw told(error, where);
      });
      const vectors = answer.embeddings.map(normalised);
      const lengths = new Set(vectors.map(({ length }) => length));
      if (vectors.length !== texts.length || lengths.size > 1 || lengths.has(0)) {
        throw away(`${where} answered with vectors that do not fit the texts`);
      }
      dims = vectors[0]?.length ?? dims;
      return vectors;
    },
  };
}

const away = (what: string, cause?: unknown): RelayError =>
  new RelayError('embeddings_away', { what }, { cause });

/** A refusal will be the same next time; everything else may pass. */
function told(error: unknown, where: string): RelayError {
  const last = (error as { lastError?: unknown }).lastError ?? error;
  const { statusCode: status } = last as { statusCode?: number };
  if (status === undefined) return away(`${where} does not answer`, error);
  if (status === 408 || status === 429 || status >= 500) {
    return away(`${where} answered ${status}`, error);
  }
  return new RelayError('embeddings_refused', { where, status: String(status) }, { cause: error });
}
