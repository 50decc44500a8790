// What stands in an exported chat where media was: "<Media omitted>", "image omitted", the name of a file. In
// the languages that exports are made in most; what is not recognised stays text. Pure.
import type { Media } from '../ingest/media.ts';

export interface Attachment {
  /** Null where the export does not say which kind it was. */
  readonly media: Media | null;
  readonly words: string;
}

const MARK = '\u200e';

/** Without saying what: Android's placeholder. */
const OMITTED =
  /^<(?:media omitted|medien ausgeschlossen|multimedia omitido|archivo omitido|m[ií]dia oculta|arquivo de m[ií]dia oculto|m[ée]dias? omis|media omessi|media weggelaten|без медиафайлов|медиафайлы? пропущены?|medya dahil edilmedi|pomini[ęe]to multimedia|تم استبعاد الوسائط|मीडिया छोड़ दिया गया|省略多媒体文件|媒体文件被省略|已略去媒體檔案|メディアは含まれていません|미디어 파일을 생략한 대화내용)>$/iu;

const KINDS: readonly (readonly [RegExp, Media])[] = [
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

/** `<attached: 0001-PHOTO-2026.jpg>`, in whatever language. */
const IN_BRACKETS = /<[^<>:]{2,30} ?: ?(?<file>[^<>/\\]{1,200}\.\w{2,5})>$/u;
/** `IMG-2026.jpg (file attached)`. */
const IN_PARENTHESES =
  /^(?<file>[^\n/\\]{1,200}\.\w{2,5}) \((?:file attached|datei angehängt|archivo adjunto|arquivo anexado|fichier joint|file allegato|bestand bijgevoegd|файл добавлен|dosya ekli|添付ファイル|文件附件|附件檔案|파일 첨부됨|plik dołączony|تم إرفاق الملف|फ़ाइल संलग्न)\)(?:\n|$)/iu;

const EXTENSIONS: Readonly<Record<string, Media>> = {
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

/** Null when it is what somebody wrote. */
export function readAttachment(text: string): Attachment | null {
  const plain = text.replaceAll(MARK, '').trim();
  if (OMITTED.test(plain)) return { media: null, words: '' };
  const bracketed = IN_BRACKETS.exec(plain);
  if (bracketed?.groups?.file !== undefined && text.includes(MARK)) {
    return fileNamed(bracketed.groups.file, plain.slice(0, bracketed.index).trim());
  }
  const attached = IN_PARENTHESES.exec(plain);
  if (attached?.groups?.file !== undefined) {
    return fileNamed(attached.groups.file, plain.slice(attached[0].length).trim());
  }
  // Marked on an iPhone, so that nobody can write it; the caption stands before.
  const at = text.lastIndexOf(MARK);
  const marked = at === -1 ? plain : text.slice(at + 1).trim();
  const kind =
    marked.length <= 60 && LEFT_OUT.test(marked) && KINDS.find(([name]) => name.test(marked));
  if (!kind || (at === -1 && plain !== marked)) return null;
  return { media: kind[1], words: at === -1 ? '' : text.slice(0, at).replaceAll(MARK, '').trim() };
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

export const isDeletion = (text: string): boolean => DELETED.test(text.replaceAll(MARK, '').trim());

const EDITED =
  /^<[^<>\n]{4,60}(?:edited|bearbeitet|editado|editada|modifié|modificato|изменено|düzenlendi|编辑|編輯|編集|수정)[^<>\n]{0,20}>$/iu;
const LONGEST_EDITED = 120;

/** Without the note that it was changed. */
export function withoutEdit(text: string): string {
  // Only the end is looked at: a pattern that begins with any number of spaces takes quadratic time.
  const start = text.lastIndexOf('<');
  if (start === -1 || text.length - start > LONGEST_EDITED) return text;
  if (!EDITED.test(text.slice(start))) return text;
  const before = text.slice(0, start);
  return (before.endsWith(MARK) ? before.slice(0, -1) : before).trimEnd();
}
