// Tier 0: what of a group is worth reading, told from form, words and what was said before. No model, no
// clock. In doubt a message is content: a lost decision costs more than a kept "haha".
import type { GroupMessage } from '../message.ts';
import type { Category, Judge, Verdict } from '../verdict.ts';

const WORD = /[\p{L}\p{N}]/u;
const GREETING =
  /^\W*(?:good (?:morning|night)|gm|gn|morning|suprabhat|jai |ram ram|buen[oa]s |bom dia|boa noite|صباح|مساء|सुप्रभात|शुभ)/iu;
const CHATTER =
  /^\W*(?:ha(?:ha)+|lol|lmao|(?:ja)+|k{3,}|ه{3,}|ok|okay|thanks|ty|vale|theek hai)\W*$/iu;

export const judge: Judge = (message) => verdictOf(categoryOf(message));

const verdictOf = (category: Category): Verdict => ({ category, noise: category !== 'content' });

function categoryOf({ kind, text }: GroupMessage): Category {
  if (kind === 'sticker' || kind === 'reaction') return kind;
  if (kind === 'deleted' || kind === 'system') return 'chatter';
  if (kind === 'audio') return 'media_only';
  if (kind === 'image' || kind === 'video') return text.length < 20 ? 'media_only' : 'content';
  if (kind !== 'text') return 'content';
  if (!WORD.test(text)) return 'emoji_only';
  if (GREETING.test(text)) return 'greeting';
  return CHATTER.test(text) ? 'chatter' : 'content';
}
