// Words that ask: for an answer, or for something to be done. By general knowledge of the languages, not from
// any one group.

/** How something is asked. */
export const QUESTIONS: readonly string[] = [
  `what, whats, what s, when, whens, where, wheres, who, whos, who s, whose, which, why, how, how much,
  how many, how long, what time, anyone, anybody, does anyone, has anyone, is there, are there, do we,
  do you, did you, did we, have you, is it, are you, are we, shall we, should we, can we, can i, should i,
  any idea, any update, any news, thoughts, question`,
  `que, cuando, donde, adonde, quien, quienes, cual, cuales, por que, como, cuanto, cuanta, cuantos,
  cuantas, a que hora, alguien, alguno, hay, pregunta, quando, onde, quem, qual, quais, porque, quanto,
  quanta, quantos, quantas, a que horas, alguem, pergunta, sera que`,
  `quoi, quand, ou, qui, quel, quelle, pourquoi, comment, combien, a quelle heure, quelqu un, est ce que,
  was, wann, wo, wer, wen, wem, welche, welcher, welches, warum, wie, wieviel, wie viel, wie viele,
  um wie viel uhr, jemand, frage, cosa, quando, dove, chi, quale, perche, come, quanto, quanti, qualcuno,
  ne zaman, nerede, kim, kac, nasil, kapan, dimana, siapa, berapa, bagaimana, что, когда, где, кто, какой,
  почему, как, сколько, кто нибудь`,
  `kya, kab, kahan, kaha, kidhar, kaun, kon, kisko, kiska, kiski, kisne, kaunsa, konsa, kyun, kyu, kyon,
  kaise, kitna, kitne, kitni, kitne baje, koi, hai kya, kya koi, na, hai na, क्या, कब, कहाँ, कहां, कौन,
  किसको, किसका, किसने, कौनसा, क्यों, कैसे, कितना, कितने, कितनी, कोई`,
  `ماذا, ما, شو, ايش, إيش, ايه, وش, متى, امتى, إمتى, وين, فين, اين, أين, مين, من, اي, أي, ليش, ليه, لماذا,
  كيف, ازاي, كم, بكم, قديش, هل, حد, حدا, احد, في حدا, سؤال, shu, sho, esh, eh, wesh, emta, imta, wen,
  wein, fen, fein, meen, min, lesh, leih, keef, ezay, kam, bekam, 2addesh, hal, 7ad, 7ada`,
];

/** How something is asked for. */
export const REQUESTS: readonly string[] = [
  `please, pls, plz, plse, kindly, could you, would you, can you, can someone, can somebody, can anyone,
  anyone able to, would someone, need someone, make sure, dont forget, do not forget, remember to,
  let me know, lmk, send me, tell me, remind me, give me, call me, fyi, heads up, headsup, reminder,
  note that, attention, important, urgent, btw, by the way`,
  `por favor, porfa, porfi, xfa, podeis, puedes, podrias, alguien puede, no olvidar, no olvideis,
  no olvides, acordaos, recordad, recordatorio, avisadme, avisame, avisenme, decidme, dime, pasame,
  mandame, atencion, importante, ojo, por cierto, faz favor, por gentileza, pfv, podem, pode, podes,
  alguem pode, nao esquecam, nao esquecas, lembrem se, lembrete, avisem, me avisa, avisa me, me manda,
  manda me, me diz, diz me, atencao, a proposito, ja agora`,
  `s il te plait, s il vous plait, stp, svp, merci de, n oubliez pas, n oublie pas, rappel, dis moi,
  dites moi, au fait, bitte, bitte nicht, nicht vergessen, erinnerung, sag bescheid, gib bescheid,
  achtung, ubrigens, kannst du, konnt ihr, per favore, per piacere, non dimenticate, fammi sapere,
  attenzione, lutfen, tolong, mohon, jangan lupa, пожалуйста, напоминаю, не забудьте, кстати`,
  `please, kripya, kripaya, zara, meherbani karke, bata dena, bata do, batao, bhej do, bhej dena, kar dena,
  kar do, mat bhulna, bhulna mat, yaad rakhna, yaad dilana, dhyan dein, dhyan de, कृपया, ज़रा, प्लीज़,
  बता देना, बता दो, भेज दो, कर देना, मत भूलना, याद रखना, ध्यान दें`,
  `لو سمحت, لو سمحتوا, لو سمحتم, من فضلك, من فضلكم, رجاء, رجاءً, الرجاء, يرجى, ارجو, أرجو, بليز, لا تنسى,
  لا تنسوا, لا تنسو, تذكير, للعلم, انتباه, تنبيه, هام, مهم, ضروري, خبروني, خبرني, قولولي, ابعتلي, ابعثلي,
  ممكن حدا, law sama7t, law samaht, min fadlak, min fadlik, raja2an, please, la tensa, la tenso, khabarni,
  2olly`,
];
