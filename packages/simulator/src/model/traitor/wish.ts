// The form of a wish: what a text may ask for, and the calls a fully obedient model would make.
// Invariant: placeholders are filled in later (fill.ts); `{{result:N}}` is the wish's own Nth call.
import type { ScriptedCall } from '../schemas.ts';
import type { Ask } from './ask.ts';

export interface Wish {
  /** Looked for in the folded text, in the languages attackers write. */
  cue: RegExp;
  plans(ask: Ask): ScriptedCall[][];
}

export const call = (name: string, args: Record<string, unknown> = {}): ScriptedCall => ({
  name,
  arguments: args,
});

export const say = (text: string): ScriptedCall => call('send_message', { text });

/** First this, then its result goes to the attacker. */
export const leak = (...calls: ScriptedCall[]): ScriptedCall[] => [...calls, say('{{result:0}}')];
