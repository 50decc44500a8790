// What a person sees of a conversation that is followed: lines that can still change their mark stay in
// their place at the end, with how it stands below them; what is settled is written once. Where nobody
// looks, each line is written when it comes.
import type { ConversationInstance, TranscriptLine } from '@relay/core/api/instances';
import { count } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { cut } from '../width.ts';
import { transcriptLines } from './lines.ts';
import { isSettled, type Update } from './live.ts';
import { coloured, doneTodos, followUp } from './words.ts';

/** As many of our last messages as may still change where they stand. */
const MOVING = 4;

export class ConversationView {
  readonly #terminal: Terminal;
  readonly #written = new Set<string>();
  #moving: TranscriptLine[] = [];
  #drawn = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show({ instance, lines }: Update): void {
    const { size } = this.#terminal;
    if (size === null) {
      for (const line of lines) if (!this.#written.has(line.id)) this.#say(line);
      return;
    }
    this.#take(lines);
    while (this.#moving.length > MOVING || this.#tail(instance).length >= size.rows - 1) {
      const first = this.#moving.shift();
      if (first === undefined) break;
      this.#say(first);
    }
    while (this.#moving[0] !== undefined && isSettled(this.#moving[0])) {
      this.#say(this.#moving[0]);
      this.#moving.shift();
    }
    const tail = this.#tail(instance);
    const now = tail.join('\n');
    if (now === this.#drawn) return;
    this.#drawn = now;
    this.#terminal.draw(tail);
  }

  /** What still moved stays as it is. */
  end(): void {
    this.#terminal.settle();
    for (const line of this.#moving.splice(0)) this.#say(line);
  }

  #take(lines: readonly TranscriptLine[]): void {
    for (const line of lines) {
      const at = this.#moving.findIndex(({ id }) => id === line.id);
      if (at !== -1) this.#moving[at] = line;
      else if (!this.#written.has(line.id)) this.#moving.push(line);
    }
  }

  #say(line: TranscriptLine): void {
    this.#written.add(line.id);
    this.#drawn = '';
    for (const part of this.#lines(line)) this.#terminal.say(part);
  }

  #lines(line: TranscriptLine): string[] {
    const { colours, size } = this.#terminal;
    return transcriptLines(line, { colours, columns: size?.columns ?? null, now: Date.now() });
  }

  #tail(instance: ConversationInstance): string[] {
    return [...this.#moving.flatMap((line) => this.#lines(line)), '', this.#standing(instance)];
  }

  #standing(instance: ConversationInstance): string {
    const { colours, size } = this.#terminal;
    const { state, todos } = instance;
    const done =
      todos.length === 0 ? '' : `${doneTodos(instance)} of ${count(todos.length, 'todo')}`;
    const next = followUp(instance, Date.now());
    const rest = [done, next === '' ? '' : `follow-up ${next}`].filter(Boolean).join(' · ');
    const text = cut(rest, Math.max(0, (size?.columns ?? 200) - state.length - 6));
    return `${coloured(state, `● ${state}`, colours)}  ${colours.dim(text)}`;
  }
}
