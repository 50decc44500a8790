import { expect, test } from 'vitest';
import { callsByName } from './address.ts';

/** The usual spellings of the names; the rules were tuned on these. */
const SPELLINGS: Readonly<Record<string, string>> = {
  Sofia: 'София Σοφία صوفيا סופיה सोफ़िया সোফিয়া சோபியா సోఫియా ソフィア 소피아 სოფია Սոֆյա Sofía Sophia',
  Maria: 'Мария Μαρία ماريا מריה मारिया মারিয়া மரியா మరియా マリア 마리아 მარია Մարիա María',
  Alexa: 'Алекса Αλέξα أليكسا אלכסה अलेक्सा অ্যালেক্সা அலெக்சா アレクサ 알렉사',
  Jarvis: 'Джарвис جارفيس जार्विस জার্ভিস ஜார்விஸ் ジャービス 자비스',
  Siri: 'Сири سيري סירי सिरी ਸਿਰੀ સિરી シリ 시리',
  Relay: 'Рилей Релей ريلاي रिले রিলে リレー 릴레이',
  Mira: 'Мира ميرا מירה मीरा ミラ 미라',
  Robin: 'Робин روبن روبين רובין रॉबिन ロビン 로빈',
  Fatima: 'Фатима فاطمة פאטמה फ़ातिमा ফাতিমা',
  Carlos: 'Карлос كارلوس קרלוס कार्लोस カルロス 카를로스',
  Emma: 'Эмма إيما אמה एम्मा エマ 엠마',
  Luna: 'Луна لونا לונה लूना ルナ 루나',
  Noah: 'Ной نوح नोआ ノア 노아',
  Zoë: 'Zoe Зои زوي ज़ोई',
  Priya: 'Прия بريا פריה प्रिया প্রিয়া பிரியா ప్రియ プリヤ 프리야',
};

/** Collected after the rules were final; nothing was changed for them. */
const HELD_OUT: Readonly<Record<string, string>> = {
  Lucas: 'Лукас لوكاس לוקאס लुकास লুকাস ルーカス 루카스 Λούκας Lukas',
  Amelia: 'Амелия أميليا אמיליה अमेलिया アメリア 아멜리아 Αμέλια',
  Victor: 'Виктор فيكتور ויקטור विक्टर ভিক্টর ビクター 빅터 Βίκτωρ Viktor',
  Nadia: 'Надя Надия ناديا נדיה नादिया ナディア 나디아 Νάντια',
  Daniel: 'Даниэль دانيال דניאל डेनियल ড্যানিয়েল ダニエル 다니엘 Ντάνιελ',
  Olivia: 'Оливия أوليفيا אוליביה ओलिविया オリビア 올리비아 Ολίβια',
  Karim: 'Карим كريم כרים करीम করিম カリム 카림',
  Leila: 'Лейла ليلى לילה लैला ライラ 레일라 Layla',
  Bruno: 'Бруно برونو ברונו ब्रूनो ブルーノ 브루노 Μπρούνο',
  Tara: 'Тара تارا טארה तारा তারা தாரா タラ 타라',
  Kavita: 'Кавита كافيتا कविता কবিতা கவிதா కవిత カビタ',
  Felix: 'Феликс فيليكس פליקס फ़ेलिक्स フェリックス 펠릭스 Φέλιξ',
  Simba: 'Симба سيمبا סימבה सिम्बा シンバ 심바',
};

test.each([
  ['mended on', SPELLINGS],
  ['held out', HELD_OUT],
])('finds at least nine in ten spellings of names in other scripts: %s', (_, spellings) => {
  const all = Object.entries(spellings).flatMap(([name, spelt]) =>
    spelt.split(' ').map((spelling) => ({ name, spelling })),
  );
  const missed = all.filter(({ name, spelling }) => !callsByName(`${spelling}, …?`, name));
  expect(all.length).toBeGreaterThan(90);
  expect(missed.length / all.length).toBeLessThan(0.1);
});

test('finds names of other scripts typed in Latin letters', () => {
  for (const [name, typed] of [
    ['ऐनी', 'annie'],
    ['نور', 'noor'],
    ['София', 'sofia'],
    ['マリア', 'maria'],
  ] as const)
    expect(callsByName(`${typed}, when?`, name), name).toBe(true);
});

test('finds names inside a line in scripts without spaces', () => {
  expect(callsByName('那小安明天几点来', '小安')).toBe(true);
  expect(callsByName('น้องมะลิกี่โมงแล้ว', 'มะลิ')).toBe(true);
  expect(callsByName('明天几点来', '小安')).toBe(false);
});

test('finds a name of several words as one, as two, and with or without punctuation', () => {
  for (const text of ['Mr. Bit, where?', 'mr bit where', 'mrbit?', 'so MR BIT'])
    expect(callsByName(text, 'Mr. Bit'), text).toBe(true);
  for (const text of ['jo-jo list them', 'JoJo?', 'jo jo'])
    expect(callsByName(text, 'Jo-Jo')).toBe(true);
  expect(callsByName('a bit late, mr. Smith', 'Mr. Bit')).toBe(false);
});

test('finds a name with honorifics, diminutives and grammatical endings', () => {
  for (const text of [
    'Robinji, kab?',
    'robin ji kab?',
    'Robincito, ¿qué?',
    'robins turn',
    "robin's",
  ])
    expect(callsByName(text, 'Robin'), text).toBe(true);
  for (const text of ['Lunita, qué hora?', 'लूनाजी, कब?', 'Lunaaaaa!!'])
    expect(callsByName(text, 'Luna'), text).toBe(true);
});

test('lookalike and invisible letters do not hide a name', () => {
  for (const text of ['𝐑𝐞𝐥𝐚𝐲 when?', 'Ｒｅｌａｙ', 'Re\u200blay', 'Rélay'])
    expect(callsByName(text, 'Relay'), text).toBe(true);
});

test('finds a name without letters', () => {
  expect(callsByName('hey 🤖 when?', '🤖')).toBe(true);
  expect(callsByName('hey when?', '🤖')).toBe(false);
});

test('a link, mail address or handle is not a call', () => {
  for (const text of [
    'https://example.com/relay/x',
    'mail relay@example.com please',
    'www.relay.example',
    'ask @relay_fan_club',
  ])
    expect(callsByName(text, 'Relay'), text).toBe(false);
});

test('does not find a name of two sounds in every short word', () => {
  for (const text of ['oh no', 'now', 'you go', 'is so']) {
    expect(callsByName(text, 'Jo'), text).toBe(false);
    expect(callsByName(text, 'Noah'), text).toBe(false);
  }
});

test('finds a name at either end of a long text and does not search the middle', () => {
  const long = 'lorem ipsum '.repeat(5_000);
  expect(callsByName(`Robin, ${long}`, 'Robin')).toBe(true);
  expect(callsByName(`${long} what do you think, Robin?`, 'Robin')).toBe(true);
  expect(callsByName(`${long} Robin ${long}`, 'Robin')).toBe(false);
});
