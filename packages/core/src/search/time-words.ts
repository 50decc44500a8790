// The words that times are said with, folded, in the languages that search understands them in: English,
// Spanish, Portuguese, German, Arabic, Hindi in both scripts, Chinese.

export const TIME_WORDS = {
  today: ['today', 'hoy', 'hoje', 'heute', 'اليوم', 'आज', 'aaj', '今天'],
  yesterday: ['yesterday', 'ayer', 'ontem', 'gestern', 'امس', 'البارحه', 'कल', 'kal', '昨天'],
  lastNight: ['last night', 'yesterday evening', 'anoche', 'ontem a noite', 'gestern abend'],
  dayBeforeYesterday: ['the day before yesterday', 'anteayer', 'anteontem', 'vorgestern', '前天'],
  thisWeek: [
    'this week',
    'esta semana',
    'diese woche',
    'dieser woche',
    'هذا الاسبوع',
    '这周',
    '本周',
  ],
  lastWeek: [
    'last week',
    'la semana pasada',
    'semana pasada',
    'semana passada',
    'letzte woche',
    'letzter woche',
    'الاسبوع الماضي',
    'पिछले हफ्ते',
    'pichle hafte',
    '上周',
  ],
  thisMonth: [
    'this month',
    'este mes',
    'diesen monat',
    'dieser monat',
    'هذا الشهر',
    '这个月',
    '本月',
  ],
  lastMonth: [
    'last month',
    'el mes pasado',
    'mes pasado',
    'mes passado',
    'letzten monat',
    'الشهر الماضي',
    '上个月',
  ],
  lastYear: ['last year', 'el ano pasado', 'ano passado', 'letztes jahr', 'السنه الماضيه', '去年'],
  weekend: [
    'this weekend',
    'last weekend',
    'este fin de semana',
    'este fim de semana',
    'dieses wochenende',
  ],
  last: ['last', 'this past', 'letzten', 'letzter', 'ultimo'],
  past: ['pasado', 'passado', 'passada', 'الماضي'],
  onDay: ['on', 'del', 'el', 'na', 'no', 'am'],
  inMonth: ['in', 'en', 'em', 'im', 'during', 'في'],
} as const;

const numbered = (lists: readonly (readonly string[])[]): Readonly<Record<string, number>> =>
  Object.fromEntries(lists.flatMap((names, n) => names.map((name) => [name, n])));

/** 0 is Monday. */
export const WEEKDAYS = numbered([
  ['monday', 'mon', 'lunes', 'segunda', 'segunda feira', 'montag', 'الاثنين', 'सोमवार'],
  ['tuesday', 'tue', 'martes', 'terca', 'dienstag', 'الثلاثاء', 'मंगलवार'],
  ['wednesday', 'wed', 'miercoles', 'quarta', 'mittwoch', 'الاربعاء', 'बुधवार'],
  ['thursday', 'thu', 'jueves', 'quinta', 'donnerstag', 'الخميس', 'गुरुवार'],
  ['friday', 'fri', 'viernes', 'sexta', 'freitag', 'الجمعه', 'शुक्रवार'],
  ['saturday', 'sat', 'sabado', 'samstag', 'السبت', 'शनिवार'],
  ['sunday', 'sun', 'domingo', 'sonntag', 'الاحد', 'रविवार'],
]);

/** 0 is January. */
export const MONTHS = numbered([
  ['january', 'jan', 'enero', 'janeiro', 'januar', 'يناير'],
  ['february', 'feb', 'febrero', 'fevereiro', 'februar', 'فبراير'],
  ['march', 'mar', 'marzo', 'marco', 'marz', 'مارس'],
  ['april', 'apr', 'abril', 'ابريل'],
  ['may', 'mayo', 'maio', 'mai', 'مايو'],
  ['june', 'jun', 'junio', 'junho', 'juni', 'يونيو'],
  ['july', 'jul', 'julio', 'julho', 'juli', 'يوليو'],
  ['august', 'aug', 'agosto', 'اغسطس'],
  ['september', 'sep', 'septiembre', 'setembro', 'سبتمبر'],
  ['october', 'oct', 'octubre', 'outubro', 'oktober', 'اكتوبر'],
  ['november', 'nov', 'noviembre', 'novembro', 'نوفمبر'],
  ['december', 'dec', 'diciembre', 'dezembro', 'dezember', 'ديسمبر'],
]);
