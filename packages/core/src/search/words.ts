// Splits a text into the words that search indexes: folded, with positions for phrases. Text without spaces is
// segmented, and spellings with and without punctuation (SP-87, SP 87, SP87) match.

/** Increase it whenever the same text would be indexed differently: everything is indexed again. */
export const INDEX_VERSION = 3;

export interface IndexedWord {
  readonly term: string;
  /** Its position in the text; several terms may share one. */
  readonly at: number;
  /** Whether this is the word as written; the other terms at the position only help to find it. */
  readonly plain: boolean;
}

/** Longer terms are not indexed: nobody searches for them, and the index has a limit. */
const LONGEST = 64;
const MOST = 4_000;

const RUN = /[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}/gu;
/** Written without spaces, one or two characters per word. */
const IDEOGRAPHIC = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
/** Written without spaces, and segmented with a dictionary. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Has too many endings attached to words to list. */
const HANGUL = /\p{Script=Hangul}/u;
const PIECES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}]+|\p{N}+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー])[\p{L}\p{M}])+|\p{Extended_Pictographic}/gu;

export function splitIntoWords(text: string): readonly IndexedWord[] {
  const folded = foldText(text);
  const words = new Words();
  let chain: Chain | null = null;
  for (const match of folded.matchAll(RUN)) {
    if (words.list.length >= MOST) break;
    const run = match[0];
    const at = words.next;
    addRun(words, run);
    chain = longer(chain, folded, match.index, run, at);
    if (chain.parts > 1) words.beside(chain.joined, chain.at);
  }
  return words.list;
}

class Words {
  readonly list: IndexedWord[] = [];
  /** The next free position. */
  next = 0;

  add(term: string): void {
    if (term.length <= LONGEST) this.list.push({ term, at: this.next, plain: true });
    this.next += 1;
  }

  beside(term: string, at: number): void {
    if (term.length <= LONGEST) this.list.push({ term, at, plain: false });
  }
}

function addRun(words: Words, run: string): void {
  const pieces = run.match(PIECES) ?? [];
  if (pieces.length > 1 && !pieces.some(isCutUp)) words.beside(run, words.next);
  for (const piece of pieces) addPiece(words, piece);
}

const isCutUp = (piece: string): boolean => IDEOGRAPHIC.test(piece) || UNSPACED.test(piece);

function addPiece(words: Words, piece: string): void {
  if (UNSPACED.test(piece)) {
    for (const { segment, isWordLike } of SEGMENTER.segment(piece)) {
      if (isWordLike) words.add(segment);
    }
    return;
  }
  const ideographs = IDEOGRAPHIC.test(piece);
  const parts = ideographs ? [...piece] : [stem(piece)];
  if (ideographs || HANGUL.test(piece)) addPairs(words, [...piece], ideographs);
  for (const part of parts) words.add(part);
}

/** All pairs of neighbours, at the first one's position if every character has its own. */
function addPairs(words: Words, characters: readonly string[], places: boolean): void {
  for (let i = 0; i + 1 < characters.length; i++) {
    words.beside(`${characters[i]}${characters[i + 1]}`, words.next + (places ? i : 0));
  }
}

const SEGMENTER = new Intl.Segmenter('th', { granularity: 'word' });

/** Runs that were written as one word, whatever stands between them. */
interface Chain {
  readonly joined: string;
  readonly parts: number;
  readonly at: number;
  readonly end: number;
  readonly numeric: boolean;
}

const MOST_PARTS = 8;

function longer(before: Chain | null, text: string, index: number, run: string, at: number): Chain {
  const numeric = /\p{N}/u.test(run);
  const alone = { joined: run, parts: 1, at, end: index + run.length, numeric };
  if (before === null || before.parts >= MOST_PARTS || isCutUp(run)) return alone;
  const between = text.slice(before.end, index);
  const sign = between === ' ' || between === '/' || between === '.';
  if (between !== '-' && !(sign && numeric && before.numeric)) return alone;
  return { ...alone, joined: before.joined + run, parts: before.parts + 1, at: before.at };
}

// Folds text to one spelling for search. Messages and queries are both folded, so that they match. Folding a folded
// text changes nothing.

/** Accents, points and vowel signs that people omit; not the vowels of India, nor the voicing of kana. */
const MARKS =
  /[\p{M}&&[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]]/gv;
const KEPT = /[\u3099\u309a]/;
const NUKTAS = /\u093c|\u09bc|\u0a3c/g;

/** Invisible characters: tatweel, soft hyphen, joiners, direction marks. */
const UNSEEN = /[\u0640\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/** Letters that are used for one another and that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ς: 'σ',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ې: 'ي',
  ة: 'ه',
  ہ: 'ه',
  ھ: 'ه',
  ە: 'ه',
  ک: 'ك',
  '\u0901': '\u0902',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

const DIGIT = /(?![0-9])\p{Nd}/gu;

export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(MARKS, (mark) => (KEPT.test(mark) ? mark : ''))
    .replace(NUKTAS, '')
    .replace(UNSEEN, '')
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .replace(DIGIT, latinDigit)
    .normalize('NFC');
}

const digits = new Map<string, string>();

/** The ten digits of a script are consecutive code points, so the start of their run identifies the script. */
function latinDigit(digit: string): string {
  const known = digits.get(digit);
  if (known !== undefined) return known;
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1;
  const value = String((code - first) % 10);
  digits.set(digit, value);
  return value;
}

// Strips what Arabic attaches to a word: the article with its particles and the most common endings. Other languages
// are matched by the beginnings of words when a query is run.

const ARABIC = /^[\u0621-\u064a]{4,}$/;
const BEFORE = /^(?:[\u0648\u0641\u0628\u0643]?\u0627\u0644|\u0644\u0644)(?=..)/;
const AFTER = /(?<=...)(?:\u0627\u062a|\u064a\u0646|\u0648\u0646|\u0647|\u064a)$/;

const stem = (word: string): string =>
  ARABIC.test(word) ? word.replace(BEFORE, '').replace(AFTER, '') : word;

// Stop words: a query of these alone finds nothing. Folded, as `fold` leaves them. One list for all languages, because
// the language of a text is unknown.

const LISTS = [
  // English
  `a about after again all also am an and any are as at be been before being but by can could did do does
  doing don for from get give had has have having he her here hers him his how i if in into is it its just
  ll me mine more most my no not now of off on once only or our ours out over please re s she should show so
  some someone somebody something such t tell than that the their them then there these they this those to
  too under up us ve very was we were what when where which while who whom whose why will with would you
  your yours find search know say says said talk talked talking message messages wrote write`,
  // Spanish and Portuguese
  `al algo como con cual cuando cuanto cuanta de del donde el ella ellos en entre era es esa ese eso esta
  estaba estan estas este esto fue ha hay la las le les lo los mas me mi mis muy nada ni nos o os para pero
  por porque que quien se ser si sin sobre son su sus te tiene tu tus un una unas uno unos y ya yo
  ao aos as com da das do dos e ela ele eles em foi isso isto mais mas meu minha na nao nas no nos num numa
  onde ou pela pelo quais qual quando quanto quem sao sem seu sua tem uma voce`,
  // German, French, Italian, Dutch
  `aber als am an auch auf aus bei bin bis da das dass dem den der des dich die dir du ein eine einem einen
  einer eines er es fur hat hatte hast haben ich ihr ihre im ist ja kann mein meine mich mir mit nach nicht
  noch nur oder sich sie sind uber um und uns von vor wann war waren warum was wegen welche welcher welches
  wem wen wenn wer wie wir wird wo zu zum zur
  au aux ce ces cette d dans des elle en est et il ils j je l leur lui ma mais mes mon n ne notre nous on ou
  par pas pour qu que qui sa ses son sont sur ta te tes toi ton tu un une vous
  alla anche che chi ci cosa dei del della delle di dove gli ho hai il lei li lo mi ne nel nella non perche
  piu quale quando sono sul suo tra una
  de een en het hij ik in is je met niet of op te van voor wat wie wij zij`,
  // Arabic
  `في من على الي عن ان هل ما ماذا متي اين كيف كم هو هي هم هذا هذه ذلك تلك التي الذي مع او ثم قد لا لم لن كان
  كانت يا و ل ب كل عند عندي اي بعد قبل`,
  // Hindi, in both scripts
  `का की के को में से ने है हैं था थी थे हो और पर यह वह क्या कब कहां कौन किस किसको किसने कैसे कितना कितनी
  भी तो ही जो एक सा सी मैं हम तुम आप मेरा मेरी बारे लिए
  ka ki ke ko mein se ne hai hain tha thi ho aur par ye wo kya kab kahan kaun kis kiski kisko kaise kitna
  bhi toh hi jo ek main hum tum aap mera meri baare liye`,
  // Chinese, Japanese
  '的 了 是 在 我 你 他 她 们 吗 呢 吧 和 有 不 什 么 什么 多 少 多少 谁 几 の は が を に で と も へ か です ます',
].join(' ');

const STOP_WORDS: ReadonlySet<string> = new Set(LISTS.split(/\s+/));

/** A single letter is a stop word too; it is mostly the remainder of an apostrophe. */
export const isStopWord = (term: string): boolean =>
  STOP_WORDS.has(term) || /^\p{Script=Latin}$/u.test(term);
