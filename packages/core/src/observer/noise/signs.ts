// Extracts features of a single message as named numbers between 0 and 1, and computes from them and the weights in
// `weights.ts` how likely it is content. Nothing here depends on a group or person.

import { foldText } from '../../search/words.ts';
import type { GroupMessage, NoiseCategory } from '../message.ts';
import {
  IDLE_SENSES,
  type NoiseText,
  readNoiseText,
  readWordSenses,
  WORD_SENSES,
  type WordSense,
} from './lexicon.ts';

/** A missing sign is 0. */
export type Signs = ReadonlyMap<string, number>;
export type Sign = readonly [name: string, size: number | boolean];

/** The weight of each sign: above 0 it indicates content. */
export type Weights = Readonly<Record<string, number>>;

export interface MessageSigns {
  readonly text: NoiseText;
  /** One per word. */
  readonly senses: readonly WordSense[];
  readonly signs: Signs;
  /** Whether it asks for an answer or an action. */
  readonly isAsking: boolean;
  /** Whether it only has words that greet, thank, answer, praise or express a feeling. */
  readonly isBare: boolean;
  /** The same, with an agreement, a refusal or a promise among them. */
  readonly settlesQuestion: boolean;
}

export function readMessageSigns(message: GroupMessage): MessageSigns {
  const text = readNoiseText(message.text);
  const { senses, chains, passedOn } = readWordSenses(text.words);
  const has = (...any: readonly WordSense[]): boolean =>
    any.some((sense) => senses.includes(sense));
  const isBare =
    senses.length > 0 &&
    senses.every((s) => IDLE_SENSES.has(s) || s === 'filler') &&
    has(...IDLE_SENSES);
  const signs = collectSigns([
    ...wordSigns(senses, isBare),
    ...shapeSigns(text),
    ['mentions', message.mentions.length > 0],
    ['caption', message.kind === 'image' || message.kind === 'video'],
    ['pastime with numbers', has('pastime') && hasFigure(text.raw, 'number')],
    ...chainSigns(message, text, chains, has('deed') && has('thing', 'request')),
    ['passed on', passedOn && text.words.length >= PASSED_ON_FROM],
  ]);
  return {
    text,
    senses,
    signs,
    isAsking:
      QUESTION_MARK.test(text.raw) ||
      has('request') ||
      (senses[0] === 'question' && senses.length > 2),
    isBare,
    settlesQuestion: isBare && has('answer', 'promise'),
  };
}

/** Omits signs that are 0. */
export const collectSigns = (signs: readonly Sign[]): Signs =>
  new Map(signs.flatMap(([name, size]) => (Number(size) === 0 ? [] : [[name, Number(size)]])));

/**
 * The probability that a message with these signs is content. A plain weighted sum, so that `weights.ts` shows why a
 * message was dropped.
 */
export function weigh(signs: Signs, weights: Weights): number {
  let sum = weights.always ?? 0;
  for (const [name, size] of signs) sum += size * (weights[name] ?? 0);
  return 1 / (1 + Math.exp(-sum));
}

const BUSY: ReadonlySet<WordSense> = new Set([
  'time',
  'deed',
  'thing',
  'question',
  'request',
  'number',
]);
const FIRST: readonly WordSense[] = [
  'greeting',
  'thanks',
  'acknowledgement',
  'laughter',
  'praise',
  'feeling',
  'call',
  'question',
];
const COUNTED = 3;

function wordSigns(senses: readonly WordSense[], isBare: boolean): readonly Sign[] {
  const words = senses.length;
  const count = (is: (sense: WordSense) => boolean): number => senses.filter(is).length;
  const share = (is: (sense: WordSense) => boolean): number => count(is) / Math.max(1, words);
  return [
    ['length', Math.min(1, Math.log2(1 + words) / 5)],
    ['one word', words === 1],
    ['two words', words === 2],
    ['three words', words === 3],
    ['four or five words', words === 4 || words === 5],
    ['idle share', share((sense) => IDLE_SENSES.has(sense))],
    ['busy share', share((sense) => BUSY.has(sense))],
    ['unknown share', share((sense) => sense === 'unknown')],
    ...WORD_SENSES.map(
      (sense): Sign => [
        sense,
        Math.min(
          COUNTED,
          count((s) => s === sense),
        ) / COUNTED,
      ],
    ),
    ...FIRST.map((sense): Sign => [`${sense} first`, senses[0] === sense]),
    ['deed first', senses.find((s) => s !== 'filler' && !IDLE_SENSES.has(s)) === 'deed'],
    ['bare', isBare],
    ['only an answer', isBare && senses[0] === 'answer'],
    ['only a promise', isBare && senses.includes('promise')],
  ];
}

const QUESTION_MARK = /[?؟]/u;
const TICK = /[✅☑✔❌]/u;
const LAUGHING = /^(?:😂|🤣|😆|😹|💀|😅|😄|😁|😜|😝|🙈|🤭)/u;
const WARM = /^(?:❤|🥰|😍|😘|💕|💛|💚|💙|💜|🤍|🧡|🌹|🌸|🌺|💐|🙏|🤲|🌞|☀|🌙|✨|👏|🔥|😭|🥹|😢|🥺)/u;
const FACE = /^[\u{1F479}-\u{1F480}\u{1F600}-\u{1F64F}\u{1F910}-\u{1F92F}\u{1F970}-\u{1F97A}]/u;
/** A capitalised name within a sentence. */
const NAMED = /(?<=[\p{Ll}\p{N},;]\s)\p{Lu}[\p{Ll}\p{M}]+/gu;
const SENTENCES = /[.!?؟।]\s+\S/u;
const LISTED = /\p{L}\s?:\s|\n\s*\S|\d\)|[+=&]/u;

function shapeSigns({ raw, emoji, drawnOut }: NoiseText): readonly Sign[] {
  return [
    ...FIGURES.map((figure): Sign => [figure, hasFigure(raw, figure)]),
    ['question mark', QUESTION_MARK.test(raw)],
    ['exclamation', raw.includes('!')],
    ['drawn out', drawnOut],
    ['emoji', emoji.length > 0],
    ['laughing emoji', emoji.some((one) => LAUGHING.test(one))],
    ['warm emoji', emoji.some((one) => WARM.test(one))],
    ['face', emoji.some((one) => FACE.test(one))],
    ['tick', TICK.test(raw)],
    ['names', Math.min(COUNTED, raw.match(NAMED)?.length ?? 0) / COUNTED],
    ['sentences', SENTENCES.test(raw)],
    ['listed', LISTED.test(raw)],
  ];
}

/** A shorter text may be a person who asks for a file to be shared. */
const PASSED_ON_FROM = 6;

/** Two or more speakers in turn, as in a joke. */
const DIALOGUE =
  /(?:^|[\s.!?])[\p{L}\p{M}]{1,12}:\s[\s\S]{2,200}?(?:^|[\s.!?])[\p{L}\p{M}]{1,12}:\s/u;

function chainSigns(
  { forwarded }: GroupMessage,
  { raw }: NoiseText,
  chains: number,
  practical: boolean,
): readonly Sign[] {
  const dated = hasFigure(raw, 'clock') || hasFigure(raw, 'date');
  return [
    ['forwarded', forwarded],
    ['chain', Math.min(COUNTED, chains) / COUNTED],
    ['forwarded chain', forwarded && chains > 0],
    ['forwarded notice', forwarded && dated && practical],
    ['dialogue', DIALOGUE.test(raw)],
  ];
}

// Figures that somebody may need: times, dates, prices, amounts, codes, addresses.

const PATTERNS = {
  clock:
    /(?<![\d.,])\d{1,2}\s?[:h]\s?[0-5]\d(?!\d)|(?<![\d.,])\d{1,2}(?:[.:][0-5]\d)?\s?(?:am|pm|a\.m|p\.m|hs?|uhr|heures|baje|बजे)(?![\p{L}\d])|(?:الساعة|ساعة)\s?\d/iu,
  date: /(?<!\d)\d{1,2}(?:st|nd|rd|th)(?!\p{L})|(?<!\d)\d{1,2}\s(?:de\s)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|fev|mai|set|out|dez|okt|tarikh|tareekh|मार्च|अप्रैल|مارس)|(?<![\d/])\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?(?![\d/])/iu,
  price:
    /[$€£₹¥]\s?\d|\d\s?[€£₹$]|\d\s?(?:k|rs|inr|eur|euros?|pounds?|quid|usd|dollars?|reais|rupees|rupaye|lakh|hazaar|hazar|रुपये|रुपए|درهم|ريال|دينار|جنيه|يورو|ليرة)(?!\p{L})/iu,
  amount:
    /\d\s?(?:%|x(?!\p{L})|kgs?|kilos?|gms?|gr|g|l|lt|ml|litres?|liters?|litros?|km|min|mins|minutes|minutos|hours?|hrs?|horas|ghante|pax|people|personas|pessoas|leute|log|logo|guests|covers|portions|plates|boxes|cajas|caixas|bottles|packets?|pcs|seats?|days?|dias|din|nights|كيلو|شخص|اشخاص|أشخاص|دقيقة|دقايق|علبة|लोग|किलो)(?!\p{L})/iu,
  code: /(?<![\p{L}\d])(?=[A-Z0-9-]{0,20}[A-Z])(?=[A-Z0-9-]{0,20}\d)[A-Z0-9]{2,}(?:-[A-Z0-9]+)*(?![\p{L}\d])|(?<![\p{L}\d])[A-Z]{2}\s\d{2,4}(?!\d)/u,
  phone: /(?<!\d)\+?\d[\d\s()-]{7,}\d/u,
  link: /https?:\/\/\S|www\.\S/iu,
  mailbox: /(?<![\w.-])[\w.-]+@[\w-]+\.\w/u,
  number: /\p{Nd}/u,
} as const satisfies Record<string, RegExp>;

type FigureKind = keyof typeof PATTERNS;

const FIGURES = Object.keys(PATTERNS) as readonly FigureKind[];

const hasFigure = (text: string, figure: FigureKind): boolean => PATTERNS[figure].test(text);

// Classifies a message by its form alone: stickers, reactions, media without text, emoji. Null if its words have to be
// read.

export function formOf({ kind, text }: GroupMessage): NoiseCategory | null {
  switch (kind) {
    case 'sticker':
    case 'reaction':
      return kind;
    case 'deleted':
    case 'system':
      return 'chatter';
    case 'poll':
    case 'contact':
    case 'location':
      return 'content';
    case 'audio':
      return 'media_only';
    case 'document':
      return isPlaceholder(text) || isNameless(text) ? 'media_only' : 'content';
    case 'image':
    case 'video':
      return !WORD.test(text) || isPlaceholder(text) ? 'media_only' : null;
    case 'text':
      if (isPlaceholder(text)) return 'media_only';
      return WORD.test(text) ? null : 'emoji_only';
  }
}

const WORD = /[\p{L}\p{N}]/u;

const listed = (words: string): ReadonlySet<string> =>
  new Set(words.split(',').map((word) => foldText(word).replace(/\s+/g, ' ').trim()));

/** Placeholders of forwarders and WhatsApp for media without text. */
const PLACEHOLDERS =
  listed(`photo, image, picture, video, gif, audio, voice message, voice note, document, file, sticker,
  media omitted, image omitted, video omitted, audio omitted, gif omitted, sticker omitted, document omitted,
  foto, imagen, vídeo, mensaje de voz, nota de voz, audio omitido, imagen omitida, multimedia omitido, documento, archivo,
  imagem, áudio, mensagem de voz, mídia oculta, ficheiro multimédia omitido, figurinha, arquivo, ficheiro,
  message vocal, vidéo, fichier, média omis, médias omis, autocollant,
  bild, sprachnachricht, dokument, datei, medien ausgeschlossen, immagine, messaggio vocale, media omessi, allegato,
  फ़ोटो, तस्वीर, वीडियो, ऑडियो, वॉइस मैसेज, वॉइस संदेश, दस्तावेज़, स्टिकर, मीडिया छोड़ा गया,
  صورة, فيديو, رسالة صوتية, مقطع صوتي, ملصق, مستند, ملف, تم استبعاد الوسائط,
  fotoğraf, görüntü, sesli mesaj, belge, gambar, pesan suara, stiker, dokumen, media tidak disertakan,
  фото, видео, голосовое сообщение, стикер, документ, без медиафайлов`);

/** A sign before it, brackets around it, a duration or count after it. */
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu;
const LASTING = /(?<![\s(])[\s(]*\d{1,2}:\d\d(?::\d\d)?\)?\s*$/u;
const LONGEST = 60;

function isPlaceholder(text: string): boolean {
  if (text.trim() === '') return true;
  if (text.length > LONGEST) return false;
  return PLACEHOLDERS.has(foldText(text.replace(LASTING, '').replace(AROUND, '')));
}

/** Automatic file names of cameras, scanners and apps. */
const NAMELESS =
  listed(`img, image, vid, video, aud, audio, ptt, dsc, dscn, pxl, mvimg, doc, document, documento, dokument,
  scan, scanned, scanner, camscanner, adobe, file, foto, photo, imagen, imagem, screenshot, screen, shot, whatsapp, stk,
  sticker, untitled, new, copy, final, page, wa, at, of, am, pm, pdf, docx, xls, xlsx, ppt, pptx, jpg, jpeg, png, mp4, mov,
  opus, ogg, mp3, m4a, webp, heic, zip, vcf, txt`);
const MACHINE_MADE = /^(?:\d+|[a-f\d]{8,}|wa\d+)$/u;

const isNameless = (name: string): boolean =>
  foldText(name)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .every((word) => word === '' || NAMELESS.has(word) || MACHINE_MADE.test(word));
