// What a message is by its form alone: stickers, reactions, media without words, emoji. Null when its words
// have to be read.
import type { GroupMessage } from '../message.ts';
import type { Category } from '../verdict.ts';

const WORD = /[\p{L}\p{N}]/u;

/** Written by forwarders and by WhatsApp itself where there is nothing but the medium, in many languages. */
const PLACEHOLDER =
  /^(?:<[^<>]*>|\[[^[\]]*\]|\p{So}?\ufe0f?\s*(?:photo|image|picture|video|gif|audio|voice (?:message|note|call)|sticker|document|file|media (?:omitted|message)|foto|imagen|imagem|v[ií]deo|mensaje de voz|nota de voz|mensagem de voz|nota de voz|áudio|documento|archivo|arquivo|multimedia omitido|mídia oculta|message vocal|fichier|médias? omis|bild|sprachnachricht|dokument|datei|medien ausgeschlossen|immagine|messaggio vocale|allegato|photo|फ़ोटो|फोटो|तस्वीर|वीडियो|ऑडियो|वॉइस मैसेज|वॉइस संदेश|दस्तावेज़|स्टिकर|صورة|فيديو|رسالة صوتية|مقطع صوتي|ملصق|مستند|ملف|fotoğraf|görüntü|sesli mesaj|gambar|pesan suara|фото|видео|голосовое сообщение|стикер|документ)\s*(?:\(?\d{1,2}:\d{2}(?::\d{2})?\)?)?\s*)$/iu;

/** What cameras, scanners and apps call a file by themselves. */
const NAMELESS =
  /^(?:img|image|vid|video|aud|audio|ptt|dsc|dscn|doc|document|documento|dokument|scan|scanned|file|foto|photo|screenshot|screen shot|whatsapp|stk|sticker|untitled|new|copy|cam ?scanner|adobe scan|final|pdf|docx?|xlsx?|pptx?|jpe?g|png|mp4|opus|ogg|webp|heic|zip|wa|at|of|[\d\s._()-]|\b[a-f0-9]{8,}\b)+$/iu;

export function formOf({ kind, text }: GroupMessage): Category | null {
  const words = text.trim();
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
      return isPlaceholder(words) || NAMELESS.test(words) ? 'media_only' : 'content';
    case 'image':
    case 'video':
      return !WORD.test(words) || isPlaceholder(words) ? 'media_only' : null;
    case 'text':
      if (isPlaceholder(words)) return 'media_only';
      return WORD.test(words) ? null : 'emoji_only';
  }
}

const isPlaceholder = (words: string): boolean => words === '' || PLACEHOLDER.test(words);
