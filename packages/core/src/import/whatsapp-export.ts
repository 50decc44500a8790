// Parses an exported chat line by line. A message begins with a date and continues until the next one. Memory is
// bounded whatever the file contains: an endless line or message is cut.
import type { ImportSkip } from '@relay/contract/api/imports';
import type { PlaceholderKind } from '@relay/contract/api/ingest';

export interface ExportedMessage {
  readonly head: Omit<ExportLineHead, 'rest'>;
  readonly sender: string;
  readonly media: PlaceholderKind | null;
  readonly words: string;
}

export type ExportEntry = ExportedMessage | { readonly skipped: Exclude<ImportSkip, 'no_date'> };

const LONGEST_TEXT = 65_536;
const LONGEST_NAME = 100;
const MARK = '\u200e';
const UNSEEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

export class ExportReader {
  #open: { head: ExportLineHead; text: string } | null = null;
  #hasMessages = false;

  /** The entry that this line completed, if any. */
  push(line: string): ExportEntry | null {
    const head = readExportLineHead(line);
    if (head === null) {
      if (this.#open === null) return line.trim() === '' ? null : { skipped: 'no_message' };
      if (this.#open.text.length < LONGEST_TEXT) this.#open.text += `\n${line}`;
      return null;
    }
    const done = this.end();
    this.#hasMessages = true;
    this.#open = { head, text: head.rest };
    return done;
  }

  /** The last message. */
  end(): ExportEntry | null {
    const open = this.#open;
    this.#open = null;
    return open === null ? null : read(open.head, open.text.slice(0, LONGEST_TEXT));
  }

  /** Whether any line looked like one of an exported chat. */
  get hasMessages(): boolean {
    return this.#hasMessages;
  }
}

function read({ rest: _, ...head }: ExportLineHead, text: string): ExportEntry {
  const said = splitName(text);
  if (said === null) return { skipped: 'system' };
  const { sender, words: spoken } = said;
  const words = withoutEditNote(spoken).trim();
  if (words.replace(UNSEEN, '') === '' || words === 'null') return { skipped: 'empty' };
  if (isExportDeletionNote(words)) return { skipped: 'deleted' };
  const attachment = readAttachment(words);
  if (attachment?.media === null) return { skipped: 'media' };
  if (attachment !== null) {
    return { head, sender, media: attachment.media, words: clean(attachment.words) };
  }
  // On an iPhone the app's own messages are marked, even after a name.
  if (words.startsWith(MARK)) return { skipped: 'system' };
  return { head, sender, media: null, words: clean(words) };
}

function splitName(text: string): { sender: string; words: string } | null {
  const first = text.split('\n', 1)[0] ?? '';
  const at = /:(?: |$)/.exec(first)?.index ?? -1;
  if (at < 1 || at > LONGEST_NAME) return null;
  const sender = text
    .slice(0, at)
    .replace(UNSEEN, '')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^~ ?/, '');
  // A quoted subject belongs to a line such as: Ana changed the subject to "Trip: Goa".
  if (sender === '' || /["“„«]/.test(sender)) return null;
  return { sender, words: text.slice(at + 1).trimStart() };
}

const clean = (text: string): string =>
  text.replaceAll(MARK, '').toWellFormed().replaceAll('\0', '\ufffd').replaceAll('\r', '').trim();

// Parses the head of a message: date and time in the phone's format, and the rest of the line. It does not decide which
// number is the day: see `inference.ts`.

export interface ExportLineHead {
  /** The three numbers of the date, in written order. */
  readonly date: readonly [number, number, number];
  /** Whether a four-digit year comes first; null for two digits. */
  readonly yearFirst: boolean | null;
  readonly separator: '/' | '.' | '-';
  /** Seconds since midnight. */
  readonly time: number;
  /** False on Android, which omits the seconds. */
  readonly hasSeconds: boolean;
  readonly rest: string;
}

/** Direction marks and a byte order mark before dates; unusual spaces. */
const MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;
const FIRST =
  /^[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]*\[?[\u200e\u200f\u202a-\u202e\u2066-\u2069]*\p{Nd}/u;
const SPACES = /[\u00a0\u2007\u2009\u202f]/g;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;

const BEFORE_NOON = String.raw`a\.?\s?m\.?|vorm\.|上午|午前|凌晨|早上|오전|ص|पूर्वाह्न|öö|πμ|π\.μ\.|de\.`;
const AFTER_NOON = String.raw`p\.?\s?m\.?|nachm\.|下午|午後|晚上|中午|오후|م|अपराह्न|ös|μμ|μ\.μ\.|du\.`;
const HALF = `(?:(?<am>${BEFORE_NOON})|(?<pm>${AFTER_NOON}))`;
const HALF_BEFORE = HALF.replace('<am>', '<am1>').replace('<pm>', '<pm1>');

const HEAD = new RegExp(
  String.raw`^(?<open>\[?)(?<a>\d{1,4})(?<sep>[./-]) ?(?<b>\d{1,2})\k<sep> ?(?<c>\d{1,4})\.?[,،]? +(?:${HALF_BEFORE} ?)?(?<h>\d{1,2})[:.](?<m>\d{2})(?:[:.](?<s>\d{2}))?(?: ?${HALF})?(?<close>\] | - |: )`,
  'iu',
);
/** Longer than any head, so that an endless line costs nothing. */
const LONGEST = 80;

/** Null for a line that continues the message before it. */
export function readExportLineHead(line: string): ExportLineHead | null {
  const start = plainStart(line);
  if (start === null) return null;
  const match = HEAD.exec(start.text);
  const groups = match?.groups;
  if (groups === undefined) return null;
  const { open, close = '', sep, a = '', b = '', c = '' } = groups;
  if ((open === '[') !== (close === '] ') || close === ': ') return null;
  const time = timeOf(groups);
  if (time === null || (a.length > 2 && c.length > 2) || b.length > 2) return null;
  if (a.length === 3 || c.length === 3) return null;
  return {
    date: [Number(a), Number(b), Number(c)],
    yearFirst: a.length === 4 ? true : c.length === 4 ? false : null,
    separator: sep as ExportLineHead['separator'],
    time,
    hasSeconds: groups.s !== undefined,
    rest: line.slice(start.at(match?.[0].length ?? 0)),
  };
}

interface Start {
  /** The first characters without marks, with normal spaces and digits. */
  readonly text: string;
  /** The position in the line of a position in the text. */
  at(place: number): number;
}

function plainStart(line: string): Start | null {
  const begin = line.slice(0, LONGEST);
  // Most lines continue a message, and most heads have no marks.
  if (!FIRST.test(begin)) return null;
  if (begin.search(MARKS) === -1) return { text: usual(begin), at: (place) => place };
  const places: number[] = [];
  let text = '';
  for (const [n, sign] of begin.split('').entries()) {
    if (MARKS.test(sign)) continue;
    places.push(n);
    text += sign;
  }
  return { text: usual(text), at: (place) => places[place] ?? begin.length };
}

const usual = (text: string): string => text.replace(SPACES, ' ').replace(OTHER_DIGIT, latin);

/** The digits of a script are consecutive code points. */
function latin(digit: string): string {
  let first = digit.charCodeAt(0);
  const code = first;
  while (/^\p{Nd}$/u.test(String.fromCharCode(first - 1))) first -= 1;
  return digit.length === 1 ? String((code - first) % 10) : digit;
}

function timeOf(groups: Readonly<Record<string, string | undefined>>): number | null {
  const { h, m, s = '0', am, am1, pm, pm1 } = groups;
  const [minutes, seconds] = [Number(m), Number(s)];
  let hours = Number(h);
  const [before, after] = [am ?? am1, pm ?? pm1];
  if (before !== undefined || after !== undefined) {
    if (hours < 1 || hours > 12) return null;
    hours = (hours % 12) + (after === undefined ? 0 : 12);
  }
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  return (hours * 60 + minutes) * 60 + seconds;
}

// Recognises the placeholders for media in an exported chat: "<Media omitted>", "image omitted", a file name, in the
// most common export languages. Anything unrecognised stays text.

interface Attachment {
  /** Null if the export does not say which kind it was. */
  readonly media: PlaceholderKind | null;
  readonly words: string;
}

const LEFT_TO_RIGHT_MARK = '\u200e';

/** Android's placeholder, which does not name the kind. */
const OMITTED =
  /^<(?:media omitted|medien ausgeschlossen|multimedia omitido|archivo omitido|m[ií]dia oculta|arquivo de m[ií]dia oculto|m[ée]dias? omis|media omessi|media weggelaten|без медиафайлов|медиафайлы? пропущены?|medya dahil edilmedi|pomini[ęe]to multimedia|تم استبعاد الوسائط|मीडिया छोड़ दिया गया|省略多媒体文件|媒体文件被省略|已略去媒體檔案|メディアは含まれていません|미디어 파일을 생략한 대화내용)>$/iu;

const KINDS: readonly (readonly [RegExp, PlaceholderKind])[] = [
  [
    /^(?:image|bild|imagen|imagem|immagine|foto|afbeelding|изображение|画像|图片|圖片|사진|صورة|photo)\b|^(?:画像|图片|圖片|사진|صورة|изображение)/iu,
    'image',
  ],
  [/^(?:video|vídeo|vidéo|gif|видео|ビデオ|视频|影片|동영상)/iu, 'video'],
  [/^(?:audio|áudio|аудио|オーディオ|音频|音訊|오디오|ptt|voice)/iu, 'audio'],
  [/^(?:sticker|figurinha|autocollant|adesivo|стикер|スタンプ|贴图|貼圖|스티커)/iu, 'sticker'],
  [/^(?:document|documento|dokument|документ|文档|文件|문서)/iu, 'document'],
  [
    /^(?:contact card|kontaktkarte|tarjeta de contacto|cartão do contato|fiche contact|scheda contatto)/iu,
    'contact',
  ],
];
const LEFT_OUT =
  /(?:omitted|weggelassen|omitid[oa]|ocultad[oa]|omis[e]?|absente?|omess[oa]|weggelaten|пропущен[оаы]?|не включ[её]н[оа]?|省略|略去|を含めません|생략됨?|dahil edilmedi)$/iu;

/** `<attached: 0001-PHOTO-2026.jpg>`, in any language. */
const IN_BRACKETS = /<[^<>:]{2,30} ?: ?(?<file>[^<>/\\]{1,200}\.\w{2,5})>$/u;
/** `IMG-2026.jpg (file attached)`. */
const IN_PARENTHESES =
  /^(?<file>[^\n/\\]{1,200}\.\w{2,5}) \((?:file attached|datei angehängt|archivo adjunto|arquivo anexado|fichier joint|file allegato|bestand bijgevoegd|файл добавлен|dosya ekli|添付ファイル|文件附件|附件檔案|파일 첨부됨|plik dołączony|تم إرفاق الملف|फ़ाइल संलग्न)\)(?:\n|$)/iu;

const EXTENSIONS: Readonly<Record<string, PlaceholderKind>> = {
  jpg: 'image',
  jpeg: 'image',
  png: 'image',
  heic: 'image',
  mp4: 'video',
  mov: 'video',
  '3gp': 'video',
  gif: 'video',
  opus: 'audio',
  m4a: 'audio',
  mp3: 'audio',
  aac: 'audio',
  ogg: 'audio',
  amr: 'audio',
  wav: 'audio',
  webp: 'sticker',
  vcf: 'contact',
};

/** Null if a person wrote it. */
function readAttachment(text: string): Attachment | null {
  const plain = text.replaceAll(LEFT_TO_RIGHT_MARK, '').trim();
  if (OMITTED.test(plain)) return { media: null, words: '' };
  const bracketed = IN_BRACKETS.exec(plain);
  if (bracketed?.groups?.file !== undefined && text.includes(LEFT_TO_RIGHT_MARK)) {
    return fileNamed(bracketed.groups.file, plain.slice(0, bracketed.index).trim());
  }
  const attached = IN_PARENTHESES.exec(plain);
  if (attached?.groups?.file !== undefined) {
    return fileNamed(attached.groups.file, plain.slice(attached[0].length).trim());
  }
  // Marked on an iPhone, so that nobody can type it; the caption comes before it.
  const at = text.lastIndexOf(LEFT_TO_RIGHT_MARK);
  const marked = at === -1 ? plain : text.slice(at + 1).trim();
  const kind =
    marked.length <= 60 && LEFT_OUT.test(marked) && KINDS.find(([name]) => name.test(marked));
  if (!kind || (at === -1 && plain !== marked)) return null;
  return {
    media: kind[1],
    words: at === -1 ? '' : text.slice(0, at).replaceAll(LEFT_TO_RIGHT_MARK, '').trim(),
  };
}

function fileNamed(file: string, caption: string): Attachment {
  const extension = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  const media = EXTENSIONS[extension] ?? 'document';
  return {
    media,
    words: media === 'document' ? [file, caption].filter(Boolean).join(' ') : caption,
  };
}

const DELETED =
  /^(?:this message was deleted|you deleted this message|diese nachricht wurde gelöscht|du hast diese nachricht gelöscht|se eliminó este mensaje|este mensaje fue eliminado|eliminaste este mensaje|esta mensagem foi apagada|mensagem apagada|você apagou esta mensagem|ce message a été supprimé|vous avez supprimé ce message|questo messaggio è stato eliminato|hai eliminato questo messaggio|данное сообщение удалено|сообщение удалено|вы удалили данное сообщение|bu mesaj silindi|このメッセージは削除されました|此消息已删除|此訊息已刪除|삭제된 메시지입니다|تم حذف هذه الرسالة|यह मैसेज मिटा दिया गया था)\.?$/iu;

const isExportDeletionNote = (text: string): boolean =>
  DELETED.test(text.replaceAll(LEFT_TO_RIGHT_MARK, '').trim());

const EDITED =
  /^<[^<>\n]{4,60}(?:edited|bearbeitet|editado|editada|modifié|modificato|изменено|düzenlendi|编辑|編輯|編集|수정)[^<>\n]{0,20}>$/iu;
const LONGEST_EDITED = 120;

/** Removes the note that the message was edited. */
function withoutEditNote(text: string): string {
  // Only the end is examined: a pattern that begins with any number of spaces takes quadratic time.
  const start = text.lastIndexOf('<');
  if (start === -1 || text.length - start > LONGEST_EDITED) return text;
  if (!EDITED.test(text.slice(start))) return text;
  const before = text.slice(0, start);
  return (before.endsWith(LEFT_TO_RIGHT_MARK) ? before.slice(0, -1) : before).trimEnd();
}
