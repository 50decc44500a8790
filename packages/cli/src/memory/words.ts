// How memory is, and what a choice means, in the words a person reads. Pure.
import type { EmbeddingsTrial, MemoryStatus } from '@relay/core/api/memory';
import { roughly, rows } from '../format.ts';

const many = (count: number): string => count.toLocaleString('en-GB');

const KINDS = {
  off: 'off: what was said is found by its words',
  local: 'a model on this machine; nothing leaves it',
  endpoint: 'an endpoint',
} as const;

export function described(status: MemoryStatus): string[] {
  const { embeddings, provider, model, dims, vectors, documents, waiting, per_second } = status;
  const entries: (readonly [string, string | null])[] = [
    [
      'By meaning',
      embeddings === 'endpoint' ? `${KINDS.endpoint}: ${provider ?? '?'}` : KINDS[embeddings],
    ],
    ['Model', model === null ? null : `${model}${dims === null ? '' : `, ${dims} numbers a text`}`],
    ['Compared', status.index === 'pgvector' ? 'by pgvector' : status.index && 'in the daemon'],
    [
      'Texts',
      `${many(documents)}${embeddings === 'off' ? '' : `, ${many(vectors)} with a vector`}`,
    ],
    ['Waiting', embeddings === 'off' || waiting === 0 ? null : left(waiting, per_second)],
    ['Failed', status.failure?.sentence ?? null],
  ];
  return rows(entries.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])));
}

function left(waiting: number, perSecond: number | null): string {
  if (perSecond === null) return many(waiting);
  return `${many(waiting)}, ${perSecond.toFixed(1)} a second: ${roughly((1_000 * waiting) / perSecond)} to go`;
}

/** What is said before anything begins. */
export function meaning({ model, waiting, per_second, leaves_to }: EmbeddingsTrial): string[] {
  const time = roughly((1_000 * waiting) / per_second);
  return [
    `${model} reads ${per_second.toFixed(1)} texts a second: ${many(waiting)} texts take about ${time}, the newest first. Relay works on meanwhile.`,
    leaves_to === null
      ? 'Nothing leaves this machine. The model knows English; other languages are found by their words.'
      : `The text of all ${many(waiting)} messages, what others wrote to you included, and every question you ask is sent to ${leaves_to}. Whoever runs it can read them.`,
  ];
}
