// A fake memory service for tests of routes: it has a local model and nothing to index.
import type { EmbeddingsTrial, MemoryService, MemoryStatus } from '@relay/contract/api/memory';
import type { Recorded } from './recorded.ts';

const status: MemoryStatus = {
  embeddings: 'local',
  provider: 'local',
  model: 'minilm-l6-v2',
  dims: 384,
  index: 'process',
  documents: 12,
  vectors: 10,
  waiting: 2,
  per_second: 30,
  failure: null,
};

const trial: EmbeddingsTrial = {
  embeddings: 'local',
  provider: 'local',
  model: 'minilm-l6-v2',
  dims: 384,
  waiting: 12,
  per_second: 30,
  leaves_to: null,
};

export const memoryStandIns = (recorded: Recorded): MemoryService => ({
  status: recorded('memoryStatus', async () => status),
  tryEmbeddings: recorded('tryEmbeddings', async () => trial),
  choose: recorded('chooseEmbeddings', async () => status),
});
