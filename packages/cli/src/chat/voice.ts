// What a turn tells, said to a person: words as they come on standard output, each tool call in one line
// beside them. Invariant: the whole answer has been said when the turn is done, and no word of it twice.
import type { AssistantEvent } from '@relay/core/api/assistant';
import { printable } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { wrap } from '../width.ts';
import { createFlow, type Flow } from './flow.ts';
import { type CallMade, callLine, outcomeLine } from './words.ts';

export interface Voice {
  tell(event: AssistantEvent): void;
  /** A line beside the answer. */
  beside(line: string): void;
  /** Ends the line that words stand on. */
  rest(): void;
}

const UNKNOWN: CallMade = { name: 'a tool', given: null };

export function createVoice(terminal: Terminal): Voice {
  const columns = () => terminal.size?.columns ?? null;
  const calls = new Map<string, CallMade>();
  let flow: Flow | null = null;
  /** The words of this step of the model, as they came. */
  let said = '';

  function rest(): void {
    if (flow === null) return;
    terminal.write(`${flow.end()}\n`);
    flow = null;
  }

  function beside(line: string): void {
    rest();
    if (terminal.attended) terminal.note(line);
    else terminal.progress(line);
  }

  function speak(delta: string): void {
    const words = flow === null ? delta.trimStart() : delta;
    said += delta;
    if (words === '') return;
    flow ??= createFlow(columns());
    const written = flow.feed(words);
    if (written !== '') terminal.write(written);
  }

  function waiting(sentence: string): void {
    if (terminal.attended) terminal.progress(terminal.colours.dim(sentence));
  }

  function finish(text: string): void {
    rest();
    if (text.trim() === said.trim()) return;
    const room = columns();
    const whole = printable(text).trimEnd();
    for (const line of room === null ? [whole] : wrap(whole, room)) terminal.say(line);
  }

  return {
    rest,
    beside,
    tell(event) {
      switch (event.type) {
        case 'run':
          return waiting('Thinking …');
        case 'text':
          return speak(event.delta);
        case 'text_reset':
          if (said.trim() !== '') beside(terminal.colours.dim('  The model broke off; once more:'));
          said = '';
          return undefined;
        case 'tool_call': {
          rest();
          said = '';
          const call = { name: event.name, given: event.arguments };
          calls.set(event.id, call);
          return waiting(callLine(call, columns()));
        }
        case 'tool_result': {
          const line = outcomeLine(calls.get(event.id) ?? UNKNOWN, event.result, columns());
          return beside(terminal.colours.dim(line));
        }
        case 'done':
          return finish(event.text);
        default:
          return rest();
      }
    },
  };
}
