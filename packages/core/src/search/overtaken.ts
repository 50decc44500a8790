// Finds messages that a later one has changed: one of the same chat that says that something changed and is about the
// same things. The index knows which messages are later and say so.
import { foldText, type IndexedWord, isStopWord } from './words.ts';

export interface LaterMessage<Id> {
  readonly id: Id;
  readonly at: Date;
  readonly words: readonly string[];
}

/** With only one word in common two messages may be about different things. */
const IN_COMMON = 2;

/** The later message with most words in common; of equals the last. Null if none has enough. */
export function findOvertakingMessage<Id>(
  words: readonly string[],
  later: readonly LaterMessage<Id>[],
): LaterMessage<Id> | null {
  const matter = new Set(words.filter(isAbout));
  let best: LaterMessage<Id> | null = null;
  let most = IN_COMMON;
  for (const each of later) {
    const shared = new Set(each.words.filter((word) => matter.has(word))).size;
    if (shared < most || (shared === most && best !== null && each.at < best.at)) continue;
    best = each;
    most = shared;
  }
  return best;
}

/** Single characters are parts of words in scripts whose words have several. */
const isAbout = (word: string): boolean =>
  [...word].length > 1 && !isStopWord(word) && !isChangeWord(word);

// Words that say that something changed or is settled, folded: in English, Spanish and Portuguese, German, French,
// Italian, Arabic, Hindi in both scripts, Chinese. A star stands for any ending.

const LISTS = [
  `chang* move moved moves moving new newest now instead anymore longer postpon* delay* cancel* reschedul*
  replac* updat* correct* expire* actual* revis* swap* switch* shift* slipped pushed raised increas* reduc*
  extend* transferred renamed wrong mistake scrap latest final finally confirm* agreed decided settled`,
  `cambi* nuev* ahora pasa pasan anterior aplaz* anul* retras* adelant* traslad* movido sube subido subio baja
  corrij* correccion actualiz* finalmente suspend* mud* alter* nov* agora passa passam passo passou adia* subiu
  sobe correcao atualiz* afinal confirm* acord* definitiv* combinado fechado`,
  `ander* geander* neu neue neuen neuer neues jetzt nun statt stattdessen verschob* verschieb* verleg* abgesagt
  doch umgezogen umzieh* kunftig korrektur gunstiger teurer erhoht gestrichen ersetzt
  bestatigt vereinbart abgemacht entschieden endgultig`,
  `nouveau nouvelle* maintenant desormais report* plutot deplac* remplac* modifi* nuov* adesso invece spost*
  rimand* aggiorn* sostitu* conferm* deciso`,
  `نغير تغير* غير غيرت غيرنا تغيير جديد* جدد الان تاجل تاجيل نؤجل اجلنا الغ* بدل بدلا يصبح تصبح اصبح* صار صارت
  ابتداء نقل نقلنا انتقل* تعديل عدل* ارتفع زاد حاليا اتفقنا تاكيد مؤكد نهائي*`,
  `बदल* नया नई नए अब रद्द स्थगित बढ़* कैंसिल badal* badla badli badle naya nayi naye ab jagah तय पक्का pakka tay`,
  '改成 改为 改到 改在 改期 更改 变更 变成 换成 换到 新的 现在 取消 推迟 提前 延期 延误 调整 涨到 涨价 降到 不再 更新 好的 可以 确认 决定 定了',
]
  .join(' ')
  .split(/\s+/)
  .map(foldText);

const WHOLE: ReadonlySet<string> = new Set(LISTS.filter((word) => !word.endsWith('*')));
const BEGINNINGS = LISTS.filter((word) => word.endsWith('*')).map((word) => word.slice(0, -1));
const BEGINS = new RegExp(`^(?:${BEGINNINGS.join('|')})`, 'u');

const isChangeWord = (term: string): boolean => WHOLE.has(term) || BEGINS.test(term);

/** Whether a message says that something has changed. */
export const saysChange = (words: readonly IndexedWord[]): boolean =>
  words.some(({ term }) => isChangeWord(term));
