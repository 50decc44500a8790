// The embedder as it is set up at this moment: settings are read for each batch, and one is opened anew only
// when they have changed. What was opened before is let go of.
import { RelayError } from '@relay/core/errors';
import type { Embedder } from '@relay/core/ports/embedder';
import type { MemorySettings } from '@relay/core/settings';
import { endpointEmbedder } from './endpoint.ts';
import { localEmbedder } from './local.ts';

/** Null while memory works by words alone. `onEnd`: it will not answer any more, but another would. */
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
      if (baseUrl === null) throw incomplete('"endpoint_base_url" is not set');
      if (model === null) throw incomplete('"endpoint_model" is not set');
      return endpointEmbedder({ baseUrl, model, apiKey });
  }
}

const incomplete = (what: string) => new RelayError('embeddings_incomplete', { what });

export interface Embedders {
  current(): Promise<Embedder | null>;
  close(): Promise<void>;
}

export function embedderSource(
  read: () => Promise<MemorySettings>,
  open: typeof openEmbedder = openEmbedder,
): Embedders {
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
        // What cannot be opened now, or has ended, may be opened when it is next asked for.
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
