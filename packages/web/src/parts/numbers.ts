// Numbers and phone numbers as people read them. Pure.

/** `12,480`, in the one language of the console. By hand: the browser's own way takes longer to begin than a page to draw. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

const WORDS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'];

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${grouped(n)} ${n === 1 ? one : many}`;

/** For the beginning of a sentence: `Four things`. */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${WORDS[n] ?? grouped(n)} ${n === 1 ? one : many}`;

/** Digits with the plus that makes them a number; groups of three, from the right, are read most easily. */
export function phoneNumber(digits: string): string {
  const tail = digits.slice(-10);
  const country = digits.slice(0, -10);
  const groups = [tail.slice(0, -7), tail.slice(-7, -4), tail.slice(-4)].filter(
    (part) => part !== '',
  );
  return `+${[country, ...groups].filter((part) => part !== '').join(' ')}`;
}

/** Somebody as they were named: a number reads as one. */
export const named = (who: string): string =>
  /^\+?\d{7,15}$/.test(who) ? phoneNumber(who.replace('+', '')) : who;
