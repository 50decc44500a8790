// Masks a group's messages for the digest's model: no account, code, number or address remains, and private matters
// have no name attached. A model cannot reveal what it has not seen.
import { foldText } from '../../search/words.ts';
import type { GroupMessage, JudgedMessage } from '../message.ts';

/** How long an exchange about something private is assumed to last. */
const TALK_MS = 20 * 60_000;

const ANONYMOUS = 'A member';

/** Members by the digits of their mention. */
type MentionNames = ReadonlyMap<string, string>;

/** In order. Noise is unchanged, because its text is never used. */
export function maskPrivate(
  judged: readonly JudgedMessage[],
  names: MentionNames,
): readonly JudgedMessage[] {
  const matters = new Map<string, PrivateMatter>();
  let last: { readonly at: number; readonly matter: PrivateMatter } | null = null;
  return judged.map(({ message, verdict }) => {
    const at = message.at.getTime();
    const talk: PrivateMatter | null =
      last !== null && at - last.at <= TALK_MS ? last.matter : null;
    const answered = message.quotedId === null ? undefined : matters.get(message.quotedId);
    const matter = privateMatter(message.text, answered ?? talk);
    if (matter !== null) {
      matters.set(message.id, matter);
      last = { at, matter };
    }
    const named = {
      ...message,
      senderName: maskedSenderName(message),
      text: withNames(message.text, names),
    };
    const masked =
      matter === null ? { ...named, text: maskIdentifiers(named.text) } : anonymous(named, matter);
    return { verdict, message: masked };
  });
}

/** Somebody who is away for a private reason may be named; somebody who is ill or owes money may not. */
function anonymous(message: GroupMessage, matter: PrivateMatter): GroupMessage {
  const { left, times } = withoutPrivate(message.text, matter);
  const what = times.length === 0 ? matter : `${matter}; times named: ${times.join(', ')}`;
  const text =
    left === ''
      ? `shared something private (${what})`
      : `${maskIdentifiers(left)} (left out: something private, ${what})`;
  if (matter === 'personal') return { ...message, text };
  // Must not be identifiable, not even by what it answers.
  return {
    ...message,
    text,
    senderName: ANONYMOUS,
    sender: ANONYMOUS,
    fromOwner: false,
    quotedId: null,
  };
}

/** Without a name, people are shown by the end of their number: enough to distinguish them, too little to call. */
export const maskedSenderName = ({ senderName }: Pick<GroupMessage, 'senderName'>): string =>
  senderName.replace(/\+?\d[\d ()-]{5,}\d/g, (number) => `…${number.replace(/\D/g, '').slice(-4)}`);

const MENTION = /@(\d{5,20})(?!\d)/g;

/** WhatsApp delivers a mention as a number. */
const withNames = (text: string, names: MentionNames): string =>
  text.replace(MENTION, (_, digits: string) => `@${names.get(digits) ?? 'somebody'}`);

/** The digits of all mentioned people, each once. */
export const mentionedDigits = (judged: readonly JudgedMessage[]): readonly string[] => [
  ...new Set(
    judged.flatMap(({ message }) => [...message.text.matchAll(MENTION)].map(([, at]) => at ?? '')),
  ),
];

// Recognises accounts, cards, codes, numbers and addresses by their form and replaces them with their kind, before any
// model sees them. When in doubt it masks. Every repetition that could match at many positions is bounded, so hostile
// text cannot make it slow.

const GAP = String.raw`[ .\-\u00a0\u2010-\u2015/]?`;

/** Words before an account number. */
const ACCOUNT_WORD =
  'a/c|acct|account|acc(?:ount)? ?(?:no|number)|sort code|ifsc|iban|bic|swift|routing|upi|konto(?:nummer)?|cuenta|conta|compte|khata|खाता|حساب|آيبان';

/** Words before a secret code. */
const CODE_WORD =
  'pin|pin ?code|passcode|password|passwort|pwd|otp|cvv|cvc|(?:alarm|door|gate|safe|entry|access|security|key|lock|wi-?fi)[ -]?(?:code|pin|key|password)?|code|codes|c[oó]digo|clave|contrase[nñ]a|senha|kennwort|mot de passe|codice|kod|पिन|पासवर्ड|कोड|رمز|كود|الرقم السري';

const PAPERS_WORD =
  'passport|pasaporte|passaporte|reisepass|aadhaar|aadhar|pan card|ssn|social security|national insurance|dni|nie|nif|cpf|جواز';

/** One or two words such as `is`, `number:` or `es` may come between. */
const BETWEEN = String.raw`[\s:.#=\-]{0,3}(?:(?:is|are|was|no|nr|num|number|new|now|es|é|ist|है|hai|de|del|da|do|:)[\s:.#=\-]{1,3}){0,3}`;

const STREET =
  'street|road|rd|avenue|ave|lane|crescent|boulevard|blvd|marg|nagar|gali|colony|vihar|enclave';
/** Ordinary words unless capitalised like names. */
const STREET_NAME = 'St|Drive|Close|Terrace|Gardens|Square|Way|Court|Place';
const STREET_FIRST =
  'calle|c/|avenida|av\\.|avda\\.?|plaza|paseo|rua|travessa|pra[cç]a|rue|avenue de|boulevard|via|viale|piazza|شارع';

const CURRENCY = '[€$£¥₹]|rs\\.?|inr|eur|usd|gbp|aed';

const RULES: readonly (readonly [RegExp, string])[] = [
  [
    /(?<![\p{L}\d._%+-])[\p{L}\d._%+-]+@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,4}/giu,
    '[e-mail address]',
  ],
  [/\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,4})?\b/g, '[bank account]'],
  [/\b[A-Z]{4}0[A-Z0-9]{6}\b/g, '[bank code]'],
  [
    new RegExp(
      String.raw`(?<=(?<![\p{L}])(?:${ACCOUNT_WORD})${BETWEEN})[A-Z]{0,4}\d[\dA-Z]{0,3}(?:${GAP}[\dA-Z]{1,6}){0,8}`,
      'giu',
    ),
    '[bank account]',
  ],
  [
    new RegExp(
      String.raw`(?<=(?<![\p{L}])(?:${CODE_WORD})(?![\p{L}])${BETWEEN})(?=[^\s]{0,15}\d)[^\s,;()]{3,16}`,
      'giu',
    ),
    '[code]',
  ],
  [
    new RegExp(
      String.raw`(?<=(?<![\p{L}])(?:${PAPERS_WORD})${BETWEEN})(?=[^\s]{0,15}\d)[\p{L}\d-]{5,16}`,
      'giu',
    ),
    '[document number]',
  ],
  // A card, account or phone number. Amounts have a currency or commas.
  [
    new RegExp(
      String.raw`(?<![\p{L}\d.,]|(?:${CURRENCY}) ?)(?:\+|00)?\d(?:[ .\-()\u00a0]{0,2}\d){6,18}(?![\p{L}\d]|[.,:]\d)`,
      'giu',
    ),
    '[number]',
  ],
  [
    new RegExp(
      String.raw`(?<![\d\p{L}])(?:[a-z]-?)?\d{1,5}[a-z]?,? (?:[\p{L}'’.-]{2,20} ){1,3}(?:${STREET})(?![\p{L}])\.?`,
      'giu',
    ),
    '[address]',
  ],
  [
    new RegExp(
      String.raw`(?<![\d\p{L}])\d{1,5}[A-Za-z]?,? (?:\p{Lu}[\p{L}'’.-]{1,20} ){1,3}(?:${STREET_NAME})(?![\p{L}])\.?`,
      'gu',
    ),
    '[address]',
  ],
  [
    /(?<!\p{L})(?:house|flat|apartment|apt\.?|plot|piso|apto\.?)(?: no\.?)? ?\d{1,5}[a-z]?(?:, ?(?:lane|street|road|sector|block|floor) ?\d{1,4})?(?![\d\p{L}])/giu,
    '[address]',
  ],
  [
    new RegExp(
      String.raw`(?<![\p{L}])(?:${STREET_FIRST}) (?:[\p{L}'’.-]{1,20} ){0,4}[\p{L}'’.-]{1,20},? ?(?:n[ºo°.]{1,2} ?)?\d{1,5}[a-z]?(?![\d:])`,
      'giu',
    ),
    '[address]',
  ],
  [
    /(?<![\p{L}])\p{L}{3,30}(?:stra(?:ss|ß)e|str\.|weg|platz|allee) \d{1,4}[a-z]?(?![\d:])/giu,
    '[address]',
  ],
];

/** Dates and times that the rule for long numbers would match. */
const DATE =
  /^(?:\d{1,2}[.\-/ ]\d{1,2}[.\-/ ](?:19|20)?\d\d|(?:19|20)\d\d[.\-/ ]\d{1,2}[.\-/ ]\d{1,2})$/;
const YEARS = /^(?:19|20)\d\d ?[-–] ?(?:19|20)\d\d$/;

export function maskIdentifiers(text: string): string {
  if (!/[\d@]/.test(text) && !/\p{Nd}/u.test(text)) return text;
  let masked = text.replace(/(?![0-9])\p{Nd}/gu, westernDigit);
  for (const [form, name] of RULES)
    masked = masked.replace(form, (found) =>
      name === '[number]' && (DATE.test(found) || YEARS.test(found) || digitsOf(found) < 7)
        ? found
        : name,
    );
  return masked;
}

const digitsOf = (text: string): number => text.replace(/\D/g, '').length;

/** The ten digits of a script are consecutive code points. */
function westernDigit(digit: string): string {
  let value = 0;
  const code = digit.codePointAt(0) ?? 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}

// Decides by rules which messages are private and what of them may be repeated. It considers the messages before: the
// answer to a private question is private too.
//
// Words that indicate health, money or private affairs, in the languages of the groups that Relay was tried on and a
// few more. Folded as search folds; `*` ends a stem. Such a list is never complete: the prompt covers what it misses,
// and the figures are in decision 0032.

const list = (...lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => line.split(', '));

/** One of these is enough. */
const HEALTH_STRONG = list(
  'hospital*, surgery, surgeon, surgical, clinic, diagnos*, cancer, tumor*, tumour*, chemo*, diabet*, insulin',
  'biopsy, xray, mri, ultrasound, pregnan*, miscarr*, abortion, ivf, hiv, depression, depressed, suicid*',
  'therapist, psychiatr*, psychologist, rehab, overdose, asthma*, seizure*, epilep*, kidney*, physio*, steroid*',
  'antibiotic*, painkiller*, medication*, prescription, hba1c, cholesterol, a&e, ambulance, icu, dizzy, dizziness',
  'dialysis, dementia, alzheimer*, unwell, injection*, blood pressure, blood test*, blood sugar, heart attack',
  'off sick, panic attack, knee brace, emergency room',
  // Hindi, in either script
  'dawai, dawa, davai, aspatal, haspatal, khaali pet, khali pet, chakkar aa*, bimar*, beemar*',
  'अस्पताल, दवा, दवाई, क्लिनिक, ऑपरेशन, इंजेक्शन, मधुमेह, बीमार*, चक्कर',
  // Spanish and Portuguese
  'urgencias, cirug*, cirurg*, embaraz*, gravid*, cancro, quimio*, medicacion, medicamento*, pastillas, ecografia',
  'analitica, ansiedad*, depresion, depressao, remedio*, enjoo, fisioterap*',
  // Arabic
  'مستشفي, المستشفي, دواء, الدواء, ادويه, سرطان, السكري, حامل, اكتئاب, عمليه جراحيه, ضغط الدم, تحليل دم, العياده',
  // German, French, Italian
  'krankenhaus, schwanger*, krebs, tablette*, medikament*, krankgeschrieben, notaufnahme, hopital, enceinte',
  'chirurg*, ospedale, incinta, tumore, pronto soccorso',
);

/** International endings of medicine names. */
const MEDICINE =
  /(?<!\p{L})(?:\p{L}{3,20}(?:formin|dipine|pril|olol|statin|sartan|mycin|cillin|azepam|oxetine|prazole|profen|codone)|tramadol)(?!\p{L})/iu;

/** A dose, or a test result. */
const READING =
  /(?<![\d.,])\d{1,3}[.,]\d(?!\d|[.,]\d)(?! ?(?:km|m|kg|l|lakh|k|cr|hours?|hrs?|°|%|am|pm)\b)|(?<!\d)\d{2,3}\/\d{2,3}(?!\d|\/)|(?<!\d)\d{1,4} ?(?:mg|ml|mcg|µg|iu)\b/iu;

const BLOOD_PRESSURE = /\bBP\b|\bbp\b.{0,12}\d/;

/** Enough if said of somebody; alone they can mean anything. */
const HEALTH_ILLNESS = list(
  'ill, sick, fever, pain, painful, hurts, vomit*, infection, fracture*, injur*, swelling',
  'dard, bukhar, ghutn*, knee, knees, sugar, दर्द, बुखार, घुटन*, शुगर',
  'fiebre, febre, dolor, enfermo, enferma, doente, الم, مريض, مريضه, fieber, krank, fievre, malade',
);

const HEALTH_CARE = list(
  'doctor, dr, doc, dentist, nurse, appointment, operate, operation, operated, report, reports, test, tests, dose',
  'tablet*, calcium, vitamin, d3, brace, checkup, symptom*, टेस्ट, रिपोर्ट, डॉक्टर, medico, medica, consulta, cita',
  'receta, exame, دكتور, الدكتور, طبيب, موعد, arzt, arztin, medecin, rdv',
);

const HEALTH_PEOPLE = list(
  'kid, kids, child, son, daughter, baby, mum, mom, dad, wife, husband, nani, dadi, nana, papa, mummy, beta, bachha',
  'bachche, hijo, hija, filho, filha, madre, mae, ابني, بنتي, امي',
);

/** What members cannot eat is private; what a guest cannot eat concerns the kitchen. */
const HEALTH_DIET = list(
  'allergy, allergies, allergic, alergi*, coeliac, celiac*, intoleran*, حساسيه',
);
const MYSELF =
  /(?<!\p{L})(?:i|i['’]m|im|my|me|mine|mujhe|mera|meri|मुझे|मेरी|मेरा|tengo|soy|yo|mi|tenho|sou|eu|meu|minha|عندي|انا|ich|mein|meine|je|j['’]ai|mon|ma)(?!\p{L})/iu;

const MONEY_STRONG = list(
  'loan, loans, debt, debts, mortgage, overdraft, bankrupt*, payslip, udhaar, udhar, karz, karza, उधार, कर्ज',
  'prestamo, deuda, te debo, emprestimo, divida, te devo, قرض, سلفه, kredit, dette',
);

/** With an amount in the same message. */
const MONEY_BACK =
  /(?<!\p{L})(?:borrow(?:ed)?|lend|lent|salary|wages|sueldo|sal[aá]rio|gehalt|راتبي?|lauta\w{0,4}|wapas (?:kar|de)\w*|pay (?:you |him |her |it |them )?back|return (?:it|the money)|give (?:it|the money) back|te lo devuelvo|devolverte|te devolvo|vou devolver|برجع لك)(?!\p{L})/iu;
const AMOUNT = /(?<!\d)\d{1,3}(?:,\d{2,3})+|(?<![\d:/])\d{3,7}(?![\d:/])/;

/** Courts, official papers, or a job elsewhere. */
const PERSONAL_STRONG = list(
  'asylum, deport*, residence permit, lawyer, solicitor, court hearing, court date, custody, divorc*, arrested',
  'probation, redundan*, laid off, job interview, got fired, funeral, broke up, breakup, affair, abogad*, juicio',
  'despedid*, entrevista de trabajo, advogad*, talaq, talak, तलाक, طلاق, محكمه, scheidung, anwalt, aufenthaltstitel',
  'vorstellungsgesprach, avocat',
);

/** A visa is part of many plans; an appointment for one is a reason for an absence. */
const PERSONAL_PAPERS = list('visa, visas, visado, visto, immigration, visum, تاشيره, वीजा');
const PERSONAL_APPOINTMENT = list(
  'appointment, interview, hearing, embassy, consulate, home office, cita, entrevista, embajada, consulado, termin, rdv',
  'موعد, سفاره',
);

/** Times, which are not masked. */
const TIME_EXPRESSION =
  /(?<![\p{L}\d])(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo|segunda|ter[cç]a|quarta|quinta|sexta|somvar|mangalvar|budhvar|guruvar|shukravar|shanivar|ravivar|सोमवार|मंगलवार|बुधवार|गुरुवार|शुक्रवार|शनिवार|रविवार|today|tonight|tomorrow|tmrw|tmr|kal|aaj|parso|कल|आज|ma[nñ]ana|hoy|hoje|amanh[aã]|غدا|اليوم|بكرا|heute|morgen|demain|next week|\d{1,2}(?::\d\d)? ?(?:am|pm|baje|बजे|uhr|h)|\d{1,2}:\d\d|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\p{L}{0,7}|april|march)(?![\p{L}\d])/giu;

type PrivateMatter = 'health' | 'money' | 'personal';

/** Folded text, each word between two spaces. */
type Folded = string;

const foldWords = (text: string): Folded =>
  ` ${foldText(text).replace(/[^\p{L}\p{M}\p{N}&]+/gu, ' ')} `;

type Matcher = (text: Folded) => number;

/** Counts the different words of the list in a text. */
function matcher(list: readonly string[]): Matcher {
  const forms = list.map((word) => {
    const stem = word.endsWith('*');
    return ` ${foldText(stem ? word.slice(0, -1) : word)}${stem ? '' : ' '}`;
  });
  return (text) => forms.filter((form) => text.includes(form)).length;
}

const strong = matcher(HEALTH_STRONG);
const illness = matcher(HEALTH_ILLNESS);
const care = matcher(HEALTH_CARE);
const people = matcher(HEALTH_PEOPLE);
const diet = matcher(HEALTH_DIET);
const money = matcher(MONEY_STRONG);
const personal = matcher(PERSONAL_STRONG);
const papers = matcher(PERSONAL_PAPERS);
const appointment = matcher(PERSONAL_APPOINTMENT);

/** `after` is the matter of the messages just before; then a weaker sign is enough. */
export function privateMatter(
  text: string,
  after: PrivateMatter | null = null,
): PrivateMatter | null {
  const words = foldWords(text);
  if (isHealth(text, words, after === 'health')) return 'health';
  if (money(words) > 0 || (MONEY_BACK.test(text) && AMOUNT.test(text))) return 'money';
  return isPersonal(words) ? 'personal' : null;
}

const isPersonal = (words: Folded): boolean =>
  personal(words) > 0 || (papers(words) > 0 && appointment(words) > 0);

function isHealth(text: string, words: Folded, followsUp: boolean): boolean {
  if (strong(words) > 0 || MEDICINE.test(text) || BLOOD_PRESSURE.test(text)) return true;
  if (diet(words) > 0 && MYSELF.test(text)) return true;
  const ill = illness(words);
  const cared = care(words);
  if (ill > 1 || (ill > 0 && cared + people(words) > 0) || cared > 1) return true;
  if (cared > 0 && READING.test(text)) return true;
  return followsUp && (ill + cared > 0 || READING.test(text));
}

const CLAUSES = /(?<=[.!?;।؟\n])\s+|(?<=[,،])\s+/u;

/** The rest of a message without its private clauses, and the times in them. */
function withoutPrivate(
  text: string,
  matter: PrivateMatter,
): { readonly left: string; readonly times: readonly string[] } {
  const clauses = text.split(CLAUSES);
  const told = clauses.filter((clause) => !isTelling(clause, matter));
  const gone = clauses.filter((clause) => isTelling(clause, matter)).join(' ');
  return {
    left: told.join(' ').trim(),
    times: [...new Set(gone.match(TIME_EXPRESSION) ?? [])],
  };
}

function isTelling(clause: string, matter: PrivateMatter): boolean {
  const words = foldWords(clause);
  switch (matter) {
    case 'health':
      return isHealth(clause, words, true) || diet(words) > 0;
    case 'money':
      return money(words) > 0 || MONEY_BACK.test(clause) || AMOUNT.test(clause);
    case 'personal':
      return personal(words) + papers(words) > 0;
  }
}
