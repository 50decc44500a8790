// A week of the family's group, as it was written: how many days ago, at which hour, by whom. Pure.
// Invariant: it is told by the days of the observer, which begin at four in the morning.
import { type Cut, dayBefore, dayOf } from '@relay/core/observer/digest/periods';
import { LEO, MOM, NORA, OWNER } from './people.ts';

type Line = readonly [hour: number, minute: number, who: { readonly phone: string }, text: string];

/** The first is six days ago, the last is today. */
const DAYS: readonly (readonly Line[])[] = [
  [
    [9, 5, MOM, 'Good morning my dears 🌞'],
    [9, 12, NORA, 'Grandma turns 80 on the 21st. We should do something big!'],
    [9, 15, LEO, 'Yes!! 🎉🎉'],
    [9, 31, MOM, 'The garden room at Café Linde is free that Saturday from 3 pm'],
    [18, 2, NORA, 'Decided: party for Grandma at Café Linde, Saturday at 3 pm'],
    [18, 4, LEO, 'ok'],
  ],
  [
    [12, 20, LEO, 'Who can pick up Uncle Jon from the airport on Friday?'],
    [12, 24, MOM, 'I will pick him up, he lands at 17:40'],
    [12, 25, LEO, '👍'],
    [20, 11, NORA, 'haha look at this'],
  ],
  [
    [8, 45, MOM, 'The heating man comes on Tuesday at 8 am, somebody must be at home'],
    [8, 52, NORA, 'I will be there on Tuesday'],
    [19, 30, LEO, '😂😂😂'],
  ],
  [
    [13, 10, NORA, 'The cake is booked: lemon, for 30 people, 95 euros'],
    [13, 14, MOM, 'Lovely! I will bring the candles'],
    [13, 15, LEO, 'mmm cake'],
    [21, 3, LEO, 'Can anybody lend me a suit for Saturday?'],
  ],
  [
    [10, 40, MOM, 'The café asks how many children come on Saturday'],
    [10, 48, NORA, 'Agreed with Leo: six children, two high chairs'],
    [17, 25, OWNER, 'I will bring the speakers and make a playlist'],
  ],
  [
    [9, 20, LEO, 'Train on Saturday is at 11:08, platform 4'],
    [9, 26, MOM, 'Have you all got your tickets?'],
    [16, 5, NORA, 'Party moved to 4 pm on Saturday, the café confirmed it'],
    [16, 9, LEO, '👍👍'],
  ],
  [
    [5, 10, MOM, 'Good morning! Do not forget to sign the card for Grandma today'],
    [5, 22, NORA, 'The card is at my place, I will bring it tomorrow at noon'],
  ],
];

export interface SaidInGroup {
  readonly phone: string;
  readonly text: string;
  readonly at: Date;
}

/** Oldest first; what would be in the future is left out. */
export function week(now: Date, cut: Cut): readonly SaidInGroup[] {
  return DAYS.flatMap((lines, index) => {
    const { start } = daysAgo(now, cut, DAYS.length - 1 - index);
    return lines.map(([hour, minute, { phone }, text]) => ({
      phone,
      text,
      at: new Date(start.getTime() + ((hour - DAY_BEGINS) * 60 + minute) * 60_000),
    }));
  }).filter(({ at }) => at < now);
}

const DAY_BEGINS = 4;

export function daysAgo(now: Date, cut: Cut, days: number) {
  let day = dayOf(now, cut);
  for (let back = 0; back < days; back += 1) day = dayBefore(day, cut);
  return day;
}
