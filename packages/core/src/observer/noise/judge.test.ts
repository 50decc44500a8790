import { growth } from '@relay/testing/growth';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, test } from 'vitest';
import type { NoiseCategory } from '../message.ts';
import { group, type Written } from '../testing/group.ts';
import { judgeNoise } from './judge.ts';

/** Six times as much of it. */
const GROWS_WITH_ITS_SQUARE = 36;

/** The verdict on the last message, after the others. */
function verdict(...written: readonly Written[]): NoiseCategory {
  const messages = group(...written);
  const last = messages.at(-1);
  if (last === undefined) throw new Error('Nothing was said.');
  return judgeNoise(last, messages.slice(0, -1)).category;
}

const said = (text: string, more: Partial<Written> = {}): Written => ({
  senderName: 'Grace',
  text,
  ...more,
});

describe('greetings are dropped', () => {
  test.for([
    'Good morning everyone! 🌞',
    'gm all',
    'Happy birthday dear Tom 🎂🎉',
    'Buenos días familia ☀️',
    'que tengáis feliz día, besos 😘',
    'Bom dia pessoal! 🌻',
    'Feliz Natal a todos 🎄',
    'Guten Morgen zusammen',
    'Bonne nuit les amis 🌙',
    'Namaste sabko 🙏',
    'Shubh ratri ji 🌙',
    'सुप्रभात सभी को 🙏',
    'दीपावली की हार्दिक शुभकामनाएं 🪔',
    'صباح الخير جميعاً 🌹',
    'كل عام وأنتم بخير',
    'sabah el kheir ya jama3a',
  ])('%s', (text) => {
    verifies('004-T0-GREETINGS');
    expect(verdict(said(text))).toBe('greeting');
  });
});

describe('messages of emoji alone, stickers and reactions are dropped', () => {
  test.for(['😂😂😂', '👍🏽', '❤️', '🇪🇸🇮🇳', '🙏 🙏', '...', '👨‍👩‍👧‍👦'])('%s', (text) => {
    verifies('004-T0-EMOJI');
    expect(verdict(said(text))).toBe('emoji_only');
  });

  test('drops a sticker, with or without text on it', () => {
    verifies('004-T0-STICKERS');
    expect(verdict(said('', { kind: 'sticker' }))).toBe('sticker');
    expect(verdict(said('meeting at 5', { kind: 'sticker' }))).toBe('sticker');
  });

  test('drops a reaction, and a removed one', () => {
    expect(verdict(said('👍', { kind: 'reaction', reactionTo: 'm1' }))).toBe('reaction');
    expect(verdict(said('', { kind: 'reaction', reactionTo: 'm1' }))).toBe('reaction');
  });
});

describe('chain messages and jokes are dropped, forwarded or pasted', () => {
  test.for<[string, boolean]>([
    [
      'Forward this to 12 friends and something wonderful happens tonight! Don’t break the chain 🙏',
      true,
    ],
    [
      'A husband asks his wife: why are you laughing? Wife: I read our wedding photos backwards 😂😂',
      true,
    ],
    ['Reenvía este mensaje a 15 contactos y recibirás una bendición. No rompas la cadena 🙏', true],
    ['Compartilhe com 10 pessoas especiais e um milagre acontecerá na sua vida 🙏✨', true],
    ['Is sandesh ko 21 logon ko bhejein, bhagwan sabki manokamna poori karenge 🙏', true],
    ['यह संदेश 11 लोगों को भेजें, भगवान आपकी मनोकामना पूरी करेंगे 🙏', true],
    ['انشرها ولك الأجر، لا تتجاهل هذا الدعاء 🤲 اللهم ارزقنا راحة البال', true],
    [
      'Share this with everyone you love, break the chain and bad luck follows you. Worth reading till the end 🙏',
      false,
    ],
  ])('%s', ([text, forwarded]) => {
    verifies('004-T0-FORWARDS');
    expect(verdict(said(text, { forwarded }))).toBe('forward_chain');
  });

  test('keeps a forwarded notice that concerns the members', () => {
    const text =
      'Residents: the lift will be closed for repair on Tuesday 14 April from 9:00 to 13:00. Please use the stairs';
    expect(verdict(said(text, { forwarded: true }))).toBe('content');
  });
});

describe('media without meaningful text is metadata', () => {
  test.for<[Written['kind'] & string, string]>([
    ['image', ''],
    ['image', '📷 Photo'],
    ['image', '📷 Foto'],
    ['video', '🎥 Vídeo'],
    ['video', '<Media omitted>'],
    ['audio', '🎤 Voice message (0:27)'],
    ['audio', '🎤 Mensagem de voz (1:02)'],
    ['text', '🎤 رسالة صوتية (0:12)'],
    ['text', '📷 फ़ोटो'],
    ['document', 'IMG-20260302-WA0014.jpg'],
    ['document', 'Scan 3.pdf'],
    ['image', 'so cute 😍'],
  ])('%s "%s"', ([kind, text]) => {
    verifies('004-T0-MEDIA');
    expect(verdict(said(text, { kind }))).toBe('media_only');
  });

  test.for<[Written['kind'] & string, string]>([
    ['image', 'The new gate code is on this sheet, keep it until Friday'],
    ['document', 'Lease_agreement_Elm_Street.pdf'],
    ['poll', 'Where do we eat? Pizza / Sushi'],
    ['contact', 'Plumber Joe, +1 202 555 0100'],
    ['location', 'Central Station'],
  ])('keeps media with meaningful text as content: %s "%s"', ([kind, text]) => {
    expect(verdict(said(text, { kind }))).toBe('content');
  });
});

describe('small talk is dropped', () => {
  test.for([
    'hahahaha 😂',
    'jajajaja qué risa',
    'kkkkk meu deus',
    'هههههههه',
    'thank you so much ❤️',
    'muchas gracias guapa 😘',
    'shukriya ji 🙏',
    'wow so beautiful 😍😍',
    'noooo way 😂',
    'lol same',
    'كلك ذوق تسلم ايدك 🌹',
  ])('%s', (text) => {
    expect(['chatter', 'greeting']).toContain(verdict(said(text)));
  });
});

describe('information that somebody may need is content', () => {
  test.for([
    'Dinner is at 7:30 on Saturday at the Italian place, table for 12',
    'Who can pick up grandpa from the airport on Friday?',
    'I paid the deposit, €350, receipt is in my mail',
    'Good morning! The plumber comes at 10 today, please leave the key with Ana',
    'Alguien puede traer hielo mañana?',
    'Preciso que alguém cubra o meu turno na quinta',
    'Kal subah 9 baje sab station pe milenge, ticket mere paas hain',
    'कल शाम 6 बजे डॉक्टर के पास जाना है, कौन ले जाएगा?',
    'الاجتماع بكرة الساعة 5 في المكتب، لا تنسوا المفاتيح',
    'Treffen ist auf Mittwoch verschoben, 18 Uhr bei Jonas',
    'My flight is delayed, landing 23:40 instead of 21:15',
  ])('%s', (text) => {
    expect(verdict(said(text))).toBe('content');
  });
});

describe('a short answer is judged by the messages before it', () => {
  const question = {
    senderName: 'Tom',
    text: 'Grace can you bring the projector tomorrow at 9?',
  };

  test('a "yes" from the person who was asked is content', () => {
    expect(verdict(question, said('yes', { quotedId: 'm1' }))).toBe('content');
  });

  test('a thumbs-up on the question is content', () => {
    expect(verdict(question, said('👍', { quotedId: 'm1' }))).toBe('content');
    expect(verdict(question, said('👍'))).toBe('emoji_only');
  });

  test('an "ok" from a bystander is small talk', () => {
    const answered = [question, said('yes I will', { quotedId: 'm1' })];
    const bystander = { senderName: 'Omar', text: 'ok ok nice 😄' };
    expect(verdict(...answered, bystander)).toBe('chatter');
  });
});

test('a message always gets the same verdict, however long it is', () => {
  const [message] = group(said('7-'.repeat(40_000)));
  if (message === undefined) throw new Error('Nothing was said.');
  expect(judgeNoise(message, [])).toEqual(judgeNoise(message, []));
  for (const piece of ['12345678-', 'b: ', 'ha']) {
    const judged = (size: number) => {
      const text = piece.repeat(size);
      judgeNoise({ ...message, text }, []);
      judgeNoise({ ...message, kind: 'document', text }, []);
    };
    expect(growth(judged, 1_000, 6), piece).toBeLessThan(GROWS_WITH_ITS_SQUARE / 2);
  }
});
