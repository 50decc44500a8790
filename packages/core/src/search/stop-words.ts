// Words that say nothing about what is looked for: a question made of these alone finds nothing. Folded, as
// `fold` leaves them. One list for all languages, because nobody says which one they write in.

const LISTS = [
  // English
  `a about after again all also am an and any are as at be been before being but by can could did do does
  doing don for from get give had has have having he her here hers him his how i if in into is it its just
  ll me mine more most my no not now of off on once only or our ours out over please re s she should show so
  some someone somebody something such t tell than that the their them then there these they this those to
  too under up us ve very was we were what when where which while who whom whose why will with would you
  your yours find search know say says said talk talked talking message messages wrote write`,
  // Spanish and Portuguese
  `al algo como con cual cuando cuanto cuanta de del donde el ella ellos en entre era es esa ese eso esta
  estaba estan estas este esto fue ha hay la las le les lo los mas me mi mis muy nada ni nos o os para pero
  por porque que quien se ser si sin sobre son su sus te tiene tu tus un una unas uno unos y ya yo
  ao aos as com da das do dos e ela ele eles em foi isso isto mais mas meu minha na nao nas no nos num numa
  onde ou pela pelo quais qual quando quanto quem sao sem seu sua tem uma voce`,
  // German, French, Italian, Dutch
  `aber als am an auch auf aus bei bin bis da das dass dem den der des dich die dir du ein eine einem einen
  einer eines er es fur hat hatte hast haben ich ihr ihre im ist ja kann mein meine mich mir mit nach nicht
  noch nur oder sich sie sind uber um und uns von vor wann war waren warum was wegen welche welcher welches
  wem wen wenn wer wie wir wird wo zu zum zur
  au aux ce ces cette d dans des elle en est et il ils j je l leur lui ma mais mes mon n ne notre nous on ou
  par pas pour qu que qui sa ses son sont sur ta te tes toi ton tu un une vous
  alla anche che chi ci cosa dei del della delle di dove gli ho hai il lei li lo mi ne nel nella non perche
  piu quale quando sono sul suo tra una
  de een en het hij ik in is je met niet of op te van voor wat wie wij zij`,
  // Arabic
  `في من على الي عن ان هل ما ماذا متي اين كيف كم هو هي هم هذا هذه ذلك تلك التي الذي مع او ثم قد لا لم لن كان
  كانت يا و ل ب كل عند عندي اي بعد قبل`,
  // Hindi, in both scripts
  `का की के को में से ने है हैं था थी थे हो और पर यह वह क्या कब कहां कौन किस किसको किसने कैसे कितना कितनी
  भी तो ही जो एक सा सी मैं हम तुम आप मेरा मेरी बारे लिए
  ka ki ke ko mein se ne hai hain tha thi ho aur par ye wo kya kab kahan kaun kis kiski kisko kaise kitna
  bhi toh hi jo ek main hum tum aap mera meri baare liye`,
  // Chinese, Japanese
  '的 了 是 在 我 你 他 她 们 吗 呢 吧 和 有 不 什 么 什么 多 少 多少 谁 几 の は が を に で と も へ か です ます',
].join(' ');

const STOP_WORDS: ReadonlySet<string> = new Set(LISTS.split(/\s+/));

/** A single letter says nothing either; it is mostly what an apostrophe left over. */
export const isStopWord = (term: string): boolean =>
  STOP_WORDS.has(term) || /^\p{Script=Latin}$/u.test(term);
