// The scripted model of each conversation: identified by the tag in the objective, each has rounds to play, one per
// request. It also judges first: everything in a request has reached a model. Invariant: a request without a tag
// belongs to no conversation and is counted.
import type { ChatRequest, Reply } from '@relay/simulator/model/schemas';
import type { ModelActor } from '@relay/simulator/model/server';
import { systemText } from '@relay/simulator/model/transcript';
import { type Tools, toolsOf } from './wishes.ts';

export type Round = (tools: Tools) => Reply;

interface Part {
  readonly next: (request: ChatRequest) => Reply;
  asked: number;
  answeredAt: number;
}

export const tagged = (tag: string): string => `[${tag}]`;
const TAG = /\[(k[\w-]+)\]/;
const OVER: Reply = { text: 'That is all.' };

export class Parts {
  /** Requests that belong to no conversation of ours. */
  strangers = 0;
  /** From an answer to the next request of the same turn: the duration of its calls, in milliseconds. */
  slowestStepMs = 0;
  readonly #parts = new Map<string, Part>();
  readonly #look: (request: ChatRequest, tag: string) => void;

  constructor(look: (request: ChatRequest, tag: string) => void) {
    this.#look = look;
  }

  /** Applies from the next request on. */
  give(tag: string, rounds: readonly Round[]): void {
    const left = rounds.values();
    this.play(tag, (request) => left.next().value?.(toolsOf(request.tools ?? [])) ?? OVER);
  }

  /** Answers every request this way. */
  play(tag: string, next: (request: ChatRequest) => Reply): void {
    this.#parts.set(tag, { next, asked: this.asked(tag), answeredAt: 0 });
  }

  /** How often the model was asked in this conversation. */
  asked(tag: string): number {
    return this.#parts.get(tag)?.asked ?? 0;
  }

  drop(tag: string): void {
    this.#parts.delete(tag);
  }

  readonly actor: ModelActor = (request) => {
    const tag = TAG.exec(systemText(request))?.[1] ?? '';
    this.#look(request, tag);
    const part = this.#parts.get(tag);
    if (part === undefined) {
      this.strangers += 1;
      return undefined;
    }
    const now = performance.now();
    if (request.messages.at(-1)?.role === 'tool' && part.answeredAt > 0)
      this.slowestStepMs = Math.max(this.slowestStepMs, Math.round(now - part.answeredAt));
    part.answeredAt = now;
    part.asked += 1;
    return { ...part.next(request), fill: true };
  };
}
