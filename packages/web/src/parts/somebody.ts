// What somebody is called where nothing else is known of them. Pure.
import { phoneNumber } from './numbers.ts';

interface Named {
  readonly name: string | null;
  readonly phone_number: string | null;
}

export const UNKNOWN = 'Unknown person';

export const calledIn = ({ name, phone_number: digits }: Named): string =>
  name ?? (digits === null ? UNKNOWN : phoneNumber(digits));
