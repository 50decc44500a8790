// The words by which people say that something is not any more as it was, or is settled now, folded: in English,
// Spanish and Portuguese, German, French, Italian, Arabic, Hindi in both scripts, Chinese. A star stands for any
// ending.
import { fold } from './fold.ts';
import type { Word } from './words.ts';

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
  .map(fold);

const WHOLE: ReadonlySet<string> = new Set(LISTS.filter((word) => !word.endsWith('*')));
const BEGINNINGS = LISTS.filter((word) => word.endsWith('*')).map((word) => word.slice(0, -1));
const BEGINS = new RegExp(`^(?:${BEGINNINGS.join('|')})`, 'u');

export const isChangeWord = (term: string): boolean => WHOLE.has(term) || BEGINS.test(term);

/** Whether a message says that something has changed. */
export const saysChange = (words: readonly Word[]): boolean =>
  words.some(({ term }) => isChangeWord(term));
