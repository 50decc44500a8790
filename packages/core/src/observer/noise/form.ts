// What a message is by its form alone: stickers, reactions, media without words, emoji. Null when its words
// have to be read.
import { fold } from '../../search/fold.ts';
import type { GroupMessage } from '../message.ts';
import type { Category } from '../verdict.ts';

export function formOf({ kind, text }: GroupMessage): Category | null {
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
  new Set(words.split(',').map((word) => fold(word).replace(/\s+/g, ' ').trim()));

/** Written by forwarders and by WhatsApp itself where there is nothing but the medium. */
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

/** A sign in front, brackets around, how long it lasts or how many there are behind. */
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu;
const LASTING = /(?<![\s(])[\s(]*\d{1,2}:\d\d(?::\d\d)?\)?\s*$/u;
const LONGEST = 60;

function isPlaceholder(text: string): boolean {
  if (text.trim() === '') return true;
  if (text.length > LONGEST) return false;
  return PLACEHOLDERS.has(fold(text.replace(LASTING, '').replace(AROUND, '')));
}

/** What cameras, scanners and apps call a file by themselves. */
const NAMELESS =
  listed(`img, image, vid, video, aud, audio, ptt, dsc, dscn, pxl, mvimg, doc, document, documento, dokument,
  scan, scanned, scanner, camscanner, adobe, file, foto, photo, imagen, imagem, screenshot, screen, shot, whatsapp, stk,
  sticker, untitled, new, copy, final, page, wa, at, of, am, pm, pdf, docx, xls, xlsx, ppt, pptx, jpg, jpeg, png, mp4, mov,
  opus, ogg, mp3, m4a, webp, heic, zip, vcf, txt`);
const MACHINE_MADE = /^(?:\d+|[a-f\d]{8,}|wa\d+)$/u;

const isNameless = (name: string): boolean =>
  fold(name)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .every((word) => word === '' || NAMELESS.has(word) || MACHINE_MADE.test(word));
