// A chat summed up by the owner's model, without tools. Implemented by `flows/assistant`; every refusal is a
// RelayError from the one table.
import type { ChatId } from '../ids.ts';

export interface ChatLine {
  readonly at: Date;
  /** Null: the owner wrote it. */
  readonly who: string | null;
  readonly text: string;
}

export type Summarise = (name: string, lines: readonly ChatLine[]) => Promise<string>;

export interface Summaries {
  /** Refused at once where there is no model, or no budget left. `by` is whom it is counted for, `chat` what is summed up. */
  begin(by: string, chat: ChatId, signal: AbortSignal): Promise<Summarise>;
}
