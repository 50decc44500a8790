// What the owner asks and chooses of memory's vectors: how far they are, what another model would mean, and
// which it is to be. A model is tried before it is chosen.
import type { EmbeddingsChoice, MemoryService } from '@relay/contract/api/memory';
import { RelayError } from '@relay/contract/errors';
import type { MemorySettings } from '@relay/contract/settings';
import type { Embedder, MemorySetup } from '@relay/core/ports/embedder';
import type { Db } from '../../../platform/db/database.ts';
import type { Lease } from '../../../platform/db/lease.ts';
import type { Vectors } from './feature.ts';
import { countVectors } from './sql.ts';

interface MemoryDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly setup: MemorySetup;
  readonly vectors: Vectors;
}

/** As people write, so that the rate is the one to expect. */
const SAMPLE_TEXTS = [
  'Are we still on for Saturday?',
  'The plumber comes on Tuesday between eight and ten, can somebody be at home?',
  'Thank you, that was a lovely evening.',
  'Flight LH1234 lands at 14:55, terminal 2. I will take the train from there.',
  'ok',
  'Could you send me the address of the place with the good soup again?',
  'She said that the deposit was paid in March and the rest is due when the keys are handed over.',
  'Happy birthday!',
];

export function createMemoryService({ db, lease, setup, vectors }: MemoryDeps): MemoryService {
  const service: MemoryService = {
    async status() {
      const { embeddings } = await setup.read();
      const embedder = await setup.current().catch(() => null);
      const index = await vectors.indexes.current;
      const { perSecond, failure } = vectors.follower.health;
      const off = embeddings === 'off';
      return {
        embeddings,
        provider: embedder?.provider ?? null,
        model: embedder?.model ?? null,
        dims: embedder?.dims || null,
        index: off ? null : (index?.kind ?? null),
        ...(await countVectors(db, lease.account, embedder)),
        per_second: off ? null : perSecond,
        failure:
          off || failure === null
            ? null
            : { at: failure.at.toISOString(), sentence: sentenceOf(failure.error) },
      };
    },

    async tryEmbeddings(choice) {
      const settings = settingsFor(await setup.read(), choice);
      const embedder = await setup.open(settings);
      if (embedder === null) {
        throw new RelayError('embeddings_incomplete', { what: 'it is off' });
      }
      try {
        const perSecond = await rateOf(embedder);
        const { provider, model, dims } = embedder;
        const { waiting } = await countVectors(db, lease.account, embedder);
        return {
          embeddings: settings.embeddings,
          provider,
          model,
          dims,
          waiting,
          per_second: perSecond,
          leaves_to: settings.embeddings === 'endpoint' ? provider : null,
        };
      } finally {
        await embedder.close?.();
      }
    },

    async choose(choice) {
      const settings = settingsFor(await setup.read(), choice);
      if (choice.embeddings !== 'off') await service.tryEmbeddings(choice);
      await setup.save(settings);
      vectors.follower.hint();
      return service.status();
    },
  };
  return service;
}

const sentenceOf = (error: unknown): string =>
  error instanceof RelayError
    ? error.message
    : 'Embedding texts failed. See `relay logs --level warn`.';

/** The first answer is not timed: something may have to be loaded for it. */
async function rateOf(embedder: Embedder): Promise<number> {
  await embedder.embed(SAMPLE_TEXTS.slice(0, 1));
  const began = performance.now();
  await embedder.embed(SAMPLE_TEXTS);
  return (1_000 * SAMPLE_TEXTS.length) / Math.max(1, performance.now() - began);
}

function settingsFor(before: MemorySettings, choice: EmbeddingsChoice): MemorySettings {
  const { embeddings, base_url, model, api_key } = choice;
  const elsewhere = base_url !== undefined && base_url !== before.endpoint_base_url;
  return {
    embeddings,
    endpoint_base_url: base_url ?? before.endpoint_base_url,
    endpoint_model: model ?? before.endpoint_model,
    endpoint_api_key: api_key ?? (elsewhere ? null : before.endpoint_api_key),
  };
}
