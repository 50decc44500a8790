// Decides whether the owner dictated a message verbatim, as in "Tell Mom I will be 20 minutes late". Strict on
// purpose: a model that obeys an attacker chooses text and recipient. Only this counts: a verb such as "tell", the
// recipient's name, then one sentence, which is the whole message. A second sentence may be meant for the assistant
// alone.

interface DictationRecipient {
  /** The owner's name for them, or the number. */
  readonly name: string;
  readonly phone: string | null;
}

/** The verb at the beginning, in the most common languages of owners. */
const TELLING =
  /^(?:(?:please|pls|hey|ok|can you|could you|bitte|por favor)[,\s]+)*(?:tell|let|send|text|message|write to|write|send to|answer|reply to|whatsapp|sage?|schreibe? an|schreibe?|antworte|dile a|di a|escribe a|escríbele a|diga (?:a|para)|escreva (?:a|para)|dis à|écris à|scrivi a|dì a)\s+/iu;

/** "Let Mom know …" and "send Mom the message …": the part of the verb after the name. */
const LET = /(?:^|\s)let\s+$/u;
const KNOW = /^\s+know(?=[\s,:;–—-])/u;
const MESSAGE = /^\s+(?:a|the|this)\s+(?:message|text)(?=[\s,:;–—-])/u;

/** What may come between the name and the text. */
const CONNECTOR = /^(?:[\s,:;–—-]+)(?:that\s+|dass\s+|que\s+|che\s+)?["“„«]?\s*/iu;

const SECOND_SENTENCE = /[.!?…]["”»]?\s+\S|\S\s*\n\s*\S/u;

/** Whether `text` is everything after the name of `recipient`, the only one of `everybody` with that name. */
export function isDictated(
  ownersMessage: string,
  text: string,
  recipient: DictationRecipient,
  everybody: readonly DictationRecipient[],
): boolean {
  if (SECOND_SENTENCE.test(ownersMessage)) return false;
  const message = plain(ownersMessage);
  const verb = TELLING.exec(message);
  if (verb === null) return false;
  const rest = message.slice(verb[0].length);
  const named = longestNamed(rest, everybody);
  if (named.length !== 1 || named[0]?.of !== recipient) return false;
  const after = afterVerb(verb[0], rest.slice(named[0].length));
  if (after === null) return false;
  const connector = CONNECTOR.exec(after);
  if (connector === null) return false;
  const dictated = withoutEnd(after.slice(connector[0].length));
  return dictated !== '' && dictated === withoutEnd(plain(text));
}

/** What follows the name, without the rest of the verb; null if that is missing. */
function afterVerb(verb: string, text: string): string | null {
  if (LET.test(verb)) return KNOW.test(text) ? text.replace(KNOW, '') : null;
  return text.replace(MESSAGE, '');
}

interface Named {
  readonly of: DictationRecipient;
  readonly length: number;
}

/** The people named at the beginning of a text; of "Ana" and "Ana Maria" the longer one. */
function longestNamed(text: string, everybody: readonly DictationRecipient[]): readonly Named[] {
  const found = everybody.flatMap((of) =>
    [of.name, ...(of.phone === null ? [] : [of.phone, `+${of.phone}`])]
      .map(plain)
      .filter((name) => name !== '' && text.startsWith(name))
      .map((name) => ({ of, length: name.length })),
  );
  const longest = Math.max(0, ...found.map(({ length }) => length));
  const named = found.filter(({ length }) => length === longest);
  return [...new Map(named.map((each) => [each.of, each])).values()];
}

const plain = (text: string): string =>
  text.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase();

const withoutEnd = (text: string): string => text.replace(/(?<![.!…"”»\s])[.!…"”»\s]+$/u, '');
