// Computes roughly how a word sounds, in no particular language, and the distance of two words by sound. Spellings of
// one name come out close together: Annie, Any, Eni, ऐनी, آني, Энни.

/** One letter per sound: S is sh, C is ch. */
export function soundOf(latin: string): string {
  let sound = latin;
  for (const [spelling, said] of SPELLINGS) sound = sound.replace(spelling, said);
  return sound;
}

const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/[^\p{L}ə]/gu, ''],
  [/(.)\1{2,}/gu, '$1$1'],
  [/sch|sh/g, 'S'],
  [/tch|ch/g, 'C'],
  [/zh/g, 'j'],
  [/ph/g, 'f'],
  [/ck|q(?:u(?=[aeio]))?/g, 'k'],
  [/c(?=[eiy])/g, 's'],
  [/c/g, 'k'],
  [/x/g, 'ks'],
  [/(?<=[^aeiouə])h|(?<=[aeiouə])h(?![aeiouə])/g, ''],
  // Between vowels, or before one, they are consonants.
  [/[yj](?=[aeiouə])/g, 'j'],
  [/w(?=[aeiouə])/g, 'v'],
  [/y/g, 'i'],
  [/w/g, 'u'],
  [/ee|ea|ie|ii|iə|əi/g, 'i'],
  [/oo|ou|uu|əu|uə/g, 'u'],
  [/ai|ae|ei|əe/g, 'e'],
  [/au/g, 'o'],
  [/ij(?=[aeiouə])/g, 'i'],
  [/(.)\1+/gu, '$1'],
  [/ə$/g, ''],
];

/** The cost of confusing two sounds; pairs not listed cost a whole sound. */
const NEAR = new Map<string, number>();
for (const [pairs, cost] of [
  ['ou sz', 0.3],
  ['ae ei vf vb vu rl', 0.4],
  ['pb td kg sS sC SC Cj jz jS pf ij', 0.5],
  ['ao mn hk', 0.6],
  ['ai', 0.8],
] as const) {
  for (const [one = '', other = ''] of pairs.split(' ')) {
    NEAR.set(one + other, cost);
    NEAR.set(other + one, cost);
  }
}

const VOWELS = new Set('aeiou');

function exchange(one: string, other: string): number {
  if (one === other) return 0;
  if (one === UNWRITTEN && VOWELS.has(other)) return 0.2;
  if (other === UNWRITTEN && VOWELS.has(one)) return 0.2;
  return NEAR.get(one + other) ?? 1;
}

function drop(sound: string): number {
  if (sound === UNWRITTEN) return 0.1;
  if (sound === 'h') return 0.4;
  // Often neither spoken nor written before a consonant.
  if (sound === 'r') return 0.5;
  return VOWELS.has(sound) ? 0.7 : 1;
}

/** The cheapest way from one to the other by exchanging, dropping and adding sounds. */
export function soundDistance(one: string, other: string): number {
  let above = [0];
  for (const sound of other) above.push((above.at(-1) ?? 0) + drop(sound));
  for (const heard of one) {
    const row = [(above[0] ?? 0) + drop(heard)];
    for (const [place, sound] of Array.from(other).entries()) {
      const across = (above[place] ?? 0) + exchange(heard, sound);
      const down = (above[place + 1] ?? 0) + drop(heard);
      row.push(Math.min(across, down, (row[place] ?? 0) + drop(sound)));
    }
    above = row;
  }
  return above.at(-1) ?? 0;
}

// Transliterates many scripts to Latin letters by rules, close enough that a name sounds the same in every spelling.
// The input is folded (`core/search/words.ts`); characters not in the tables stay as they are.

/** A vowel that is spoken and not written, or written and hardly spoken. */
const UNWRITTEN = 'ə';

export function toLatinLetters(word: string): string {
  const spoken = indic(word).replace(HANGUL, jamo).replace(SYLLABLE, kana);
  return withUnwritten(spoken).replace(LETTERS, (letters) => TABLE.get(letters) ?? letters);
}

/**
 * Arabic and Hebrew omit short vowels: there may be one between any two consonants. A final h is mostly an a; between a
 * consonant and an alef, a y is both vowel and consonant.
 */
function withUnwritten(word: string): string {
  return word
    .replace(ABJAD_END, 'a')
    .replace(ABJAD_GLIDE, 'iy')
    .replace(ABJAD_PAIR, `$1${UNWRITTEN}`);
}
const ABJAD = '[[\\p{Script=Hebrew}\\p{Script=Arabic}]--[אהויעاويعےء]]';
const ABJAD_END = /(?<=.)[הه]$/u;
const ABJAD_GLIDE = new RegExp(`(?<=${ABJAD})[יي](?=[אاa])`, 'gv');
const ABJAD_PAIR = new RegExp(`(${ABJAD})(?=${ABJAD})`, 'gv');

/** The nine Indian scripts that Unicode lays out alike, 128 code points each, from Devanagari to Malayalam. */
const INDIC_FIRST = 0x0900;
const INDIC_END = 0x0d80;
const INDIC_VOWELS = 'aa i ii u uu ri l e e e ai o o o au'.split(' ');
const INDIC_CONSONANTS =
  'k kh g gh n ch ch j jh n t th d dh n t th d dh n n p ph b bh m y r r l l l v sh sh s h'.split(
    ' ',
  );
const INDIC_SIGNS = 'aa i ii u uu ri ri e e e ai o o o au'.split(' ');
const INDIC_DOTTED = 'k kh g z r rh f y'.split(' ');
const VIRAMA = 0x4d;

function indic(word: string): string {
  let latin = '';
  let owed = '';
  for (const letter of word) {
    const code = letter.codePointAt(0) ?? 0;
    const place = code >= INDIC_FIRST && code < INDIC_END ? code % 0x80 : null;
    const consonant = place === null ? undefined : indicConsonant(place);
    const sign = place === null ? undefined : INDIC_SIGNS[place - 0x3e];
    if (sign === undefined && place !== VIRAMA) latin += owed;
    owed = owedBy(consonant);
    if (place === null) latin += letter;
    else latin += consonant ?? sign ?? INDIC_VOWELS[place - 0x06] ?? (NASALS.has(place) ? 'n' : '');
  }
  return latin + owed;
}
const NASALS = new Set([0x01, 0x02]);
/** The letter a carries a vowel sign like a consonant, and is itself without one. */
const ALONE = 0x05;
const indicConsonant = (place: number): string | undefined =>
  place === ALONE ? '' : (INDIC_CONSONANTS[place - 0x15] ?? INDIC_DOTTED[place - 0x58]);
const owedBy = (consonant: string | undefined): string => {
  if (consonant === undefined) return '';
  return consonant === '' ? 'a' : UNWRITTEN;
};

/** Hangul syllables are computed: 19 initials, 21 vowels, 28 finals. */
const HANGUL = /[가-힣]+/g;
const BEGINNINGS = 'g k n d t r m b p s s _ j j ch k t p h'.split(' ');
const HANGUL_VOWELS = `a e ya ye o e yo ye o va ve ve yo u vo ve vi yu ${UNWRITTEN} i i`.split(' ');
const ENDS = '_ k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ');

function jamo(word: string): string {
  const syllables = Array.from(word, (syllable) => {
    const number = (syllable.codePointAt(0) ?? 0) - 0xac00;
    const beginning = BEGINNINGS[Math.floor(number / 588)];
    return [beginning, HANGUL_VOWELS[Math.floor((number % 588) / 28)], ENDS[number % 28]].join('');
  });
  return syllables.join('').replaceAll('_', '').replaceAll('lr', 'l');
}

/** Katakana, and hiragana 96 code points below it. A `u` after a consonant is often not spoken. */
const SYLLABLE =
  /[\u3041-\u3096\u30a1-\u30f6][\u3041\u3043\u3045\u3047\u3049\u3083\u3085\u3087\u30a1\u30a3\u30a5\u30a7\u30a9\u30e3\u30e5\u30e7]?|\u30fc/g;
const KANA =
  'a a i i u u e e o o ka ga ki gi ku gu ke ge ko go sa za shi ji su zu se ze so zo ta da chi ji _ tsu zu te de to do na ni nu ne no ha ba pa hi bi pi fu bu pu he be pe ho bo po ma mi mu me mo ya ya yu yu yo yo ra ri ru re ro va va i e o n vu'.split(
    ' ',
  );
const oneKana = (letter: string): string => {
  const code = letter.codePointAt(0) ?? 0;
  const said = KANA[(code >= 0x30a1 ? code : code + 0x60) - 0x30a1] ?? '';
  return said.replace(/(?<=.)u$/, UNWRITTEN).replace('_', '');
};

function kana(syllable: string): string {
  const [first = '', small] = syllable;
  if (first === '\u30fc') return '';
  const said = oneKana(first);
  return small === undefined ? said : said.replace(/.$/, '') + oneKana(small);
}

const rows = (written: string): [string, string][] =>
  written
    .trim()
    .split(/\s+/)
    .map((pair) => {
      const [from = '', to = ''] = pair.split(':');
      return [from, to];
    });

const TABLE = new Map([
  ...rows(
    'а:a б:b в:v г:g д:d е:e ж:zh з:z и:i к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:h ц:ts ч:ch ш:sh щ:sh ъ: ы:i ь: э:e ю:yu я:ya і:i є:e ґ:g ј:y љ:l њ:n ћ:ch ђ:j џ:j ә:a ө:o ү:u ұ:u қ:k ң:n һ:h',
  ),
  ...rows(
    'ου:u αι:e ει:i οι:i μπ:b ντ:d γκ:g α:a β:v γ:g δ:d ε:e ζ:z η:i θ:t ι:i κ:k λ:l μ:m ν:n ξ:ks ο:o π:p ρ:r σ:s τ:t υ:i φ:f χ:h ψ:ps ω:o',
  ),
  ...rows(
    'א:a ב:b ג:g ד:d ה:h ו:w ז:z ח:h ט:t י:y כ:k ך:k ל:l מ:m ם:m נ:n ן:n ס:s ע:a פ:p ף:f צ:ts ץ:ts ק:k ר:r ש:sh ת:t',
  ),
  ...rows(
    'ا:a ب:b ت:t ث:s ج:j ح:h خ:kh د:d ذ:z ر:r ز:z س:s ش:sh ص:s ض:d ط:t ظ:z ع:a غ:g ف:f ق:k ك:k ل:l م:m ن:n ه:h و:w ي:y ء: پ:p چ:ch ژ:zh گ:g ڤ:v ں:n ے:e ٹ:t ڈ:d ڑ:r',
  ),
  ...rows(
    'ա:a բ:b գ:g դ:d ե:e զ:z է:e ը:ə թ:t ժ:zh ի:i լ:l խ:kh ծ:ts կ:k հ:h ձ:dz ղ:g ճ:ch մ:m յ:y ն:n շ:sh ու:u ո:o չ:ch պ:p ջ:j ռ:r ս:s վ:v տ:t ր:r ց:ts ւ:v փ:p ք:k օ:o ֆ:f և:ev',
  ),
  ...rows(
    'ა:a ბ:b გ:g დ:d ე:e ვ:v ზ:z თ:t ი:i კ:k ლ:l მ:m ნ:n ო:o პ:p ჟ:zh რ:r ს:s ტ:t უ:u ფ:p ქ:k ღ:g ყ:k შ:sh ჩ:ch ც:ts ძ:dz წ:ts ჭ:ch ხ:kh ჯ:j ჰ:h',
  ),
]);
/** The longest first: two letters can be one sound. */
const LETTERS = new RegExp(
  [...TABLE.keys()].toSorted((a, b) => b.length - a.length).join('|'),
  'gu',
);
