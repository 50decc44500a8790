// Retells a message as a sentence about its sender, as a digest does: `Nora will bring the balloons.` Simple rules of
// English for what visitors of the demo write.

const LONGEST = 180;
const LEAST_WORDS = 3;

const PICTURES = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f/gu;
const CHATTER =
  /^(?:ok(?:ay)?|yes|no|hi|hello|hey|good (?:morning|night|evening|afternoon)|thanks?|thank you|lovely|great|wow|(?:ha){2,}|lol|mmm+)\b/i;
const FILLER =
  /^(?:(?:yes|ok(?:ay)?|sure|well|so|and)[,!.]?|(?:hi|hello|hey|good (?:morning|evening))(?: \w+)?[,!.]) +(?=\S)/i;
const MOST_CHATTER_WORDS = 5;

/** Undefined for greetings, thanks and laughter. */
export function retellMessage(who: string, words: string): string | undefined {
  const told = sentencesIn(words).flatMap((sentence) => retellSentence(who, sentence));
  return told.length === 0 ? undefined : told.join(' ');
}

function sentencesIn(words: string): string[] {
  const plain = words.replace(PICTURES, '').replace(/[“”"]/g, '').replace(/\s+/g, ' ').trim();
  return plain.slice(0, LONGEST).split(/(?<=[.!?？؟]) /);
}

function retellSentence(who: string, sentence: string): string | [] {
  const text = sentence.replace(FILLER, '').trim();
  const count = text.match(/[\p{L}\d:]+/gu)?.length ?? 0;
  if (isQuestion(text)) return count < 2 ? [] : `${who} ${retellQuestion(text)}`;
  if (count < LEAST_WORDS || (count <= MOST_CHATTER_WORDS && CHATTER.test(text))) return [];
  return `${retellStatement(who, text.replace(/[.!…]+$/, ''))}.`;
}

const isQuestion = (text: string): boolean => /[?？؟]/.test(text);

function retellStatement(who: string, text: string): string {
  const [, wish] = /^please (.+)$/i.exec(text) ?? [];
  if (wish !== undefined) return `${who} asked everybody to ${inThirdPerson(wish)}`;
  const [, unwanted] = /^(?:please )?(?:do not|don['’]t) (.+)$/i.exec(text) ?? [];
  if (unwanted !== undefined) return `${who} asked everybody not to ${inThirdPerson(unwanted)}`;
  const about = /^I(?:['’](ll|m|ve|d))?(?: (also|just|really|still|already|always|never))? (.+)$/;
  const [whole, short, adverb, rest = ''] = about.exec(text) ?? [];
  if (whole === undefined) return `${who} said that ${inThirdPerson(lowerFirst(text))}`;
  const verb = short === undefined ? conjugate(rest) : `${AUXILIARIES[short] ?? ''} ${rest}`;
  return [who, adverb, inThirdPerson(verb)].filter((part) => part !== undefined).join(' ');
}

const AUXILIARIES: Readonly<Record<string, string>> = {
  ll: 'will',
  m: 'is',
  ve: 'has',
  d: 'would',
};

const UNCHANGED =
  /^(?:will|can|could|would|should|must|may|might|had|did|was|got|went|saw|made|took|bought|found|put|left|sent|told|said|\w+ed)\b/i;

/** `bring it` becomes `brings it`. */
function conjugate(text: string): string {
  if (UNCHANGED.test(text)) return text;
  const [verb = '', ...rest] = text.split(' ');
  return [IRREGULAR[verb.toLowerCase()] ?? thirdPerson(verb), ...rest].join(' ');
}

const IRREGULAR: Readonly<Record<string, string>> = { am: 'is', have: 'has', do: 'does' };

function thirdPerson(verb: string): string {
  if (/[^aeiou]y$/i.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(?:[sxzo]|ch|sh)$/i.test(verb) ? `${verb}es` : `${verb}s`;
}

const PRONOUNS: readonly (readonly [RegExp, string])[] = [
  [/\bI['’]ll\b/g, 'they will'],
  [/\bI['’]m\b/g, 'they are'],
  [/\bI['’]ve\b/g, 'they have'],
  [/\bI\b/g, 'they'],
  [/\bmyself\b/gi, 'themselves'],
  [/\bmine\b/gi, 'theirs'],
  [/\bmy\b/gi, 'their'],
  [/\bme\b/gi, 'them'],
];

const inThirdPerson = (text: string): string =>
  PRONOUNS.reduce((changed, [pattern, word]) => changed.replace(pattern, word), text);

const STARTERS =
  /^(?:the|an?|it|we|you|they|there|this|that|these|those|my|our|your|he|she|all|some|everybody|everyone|somebody|someone|dinner|lunch|party|train|cake|food|tickets?)\b/i;

/** Names keep their capital letter. */
const lowerFirst = (text: string): string =>
  STARTERS.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

// Indirect questions. What the rules do not cover stays a question after a colon.

const CLOSED =
  /^(can|could|will|would|should|is|are|was|were|has|have) (anybody|anyone|somebody|someone|everybody|everyone|we|you|they|he|she|it|there|I)\b(.*)$/i;
const ABOUT_A_STATE = /^(when|where|why|how|what|who) (is|are|was|were) (.+)$/i;
const WITH_SUBJECT = /^(?:who|which \w+|how many \w+)(?! (?:is|are|was|were|do|does|did)\b) /i;

function retellQuestion(text: string): string {
  const question = text.replace(/[?？؟!.\s]+$/, '');
  const plain = inThirdPerson(question.charAt(0).toLowerCase() + question.slice(1));
  const [closed, verb = '', subject = '', rest = ''] = CLOSED.exec(question) ?? [];
  if (closed !== undefined)
    return `asked whether ${inThirdPerson(`${subject} ${verb.toLowerCase()}${rest}`)}.`;
  const [state, word = '', be = '', thing = ''] = ABOUT_A_STATE.exec(plain) ?? [];
  if (state !== undefined) return `asked ${word} ${thing} ${be}.`;
  return WITH_SUBJECT.test(plain) ? `asked ${plain}.` : `wanted to know: ${plain}?`;
}
