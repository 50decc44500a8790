// Phone numbers as people write them: with or without a country, with any signs between the digits. What
// cannot be a number is null. The API takes international digits alone (`phoneAlias`); this is for people.
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { phoneAlias } from './alias.ts';

/** Digits in international form. `home` is the number whose country one without a country is of. */
export function readPhoneNumber(text: string, home: string | null): string | null {
  const given = text.trim().replace(/^00/, '+');
  if (/@|(?![0-9])\p{Nd}|\p{L}/u.test(given)) return null;
  const nearby = given.startsWith('+') ? undefined : homeOf(home);
  const written = [
    ...(nearby === undefined ? [] : [parsePhoneNumberFromString(given, nearby)]),
    parsePhoneNumberFromString(`+${given.replace(/^\+/, '')}`),
  ];
  const number = written.find(
    // One that reads differently in its international form is no number, such as zeros alone.
    (parsed) =>
      parsed?.isPossible() && parsePhoneNumberFromString(parsed.number)?.number === parsed.number,
  );
  return number === undefined ? null : (phoneAlias(number.number)?.value ?? null);
}

/** Several countries may share a calling code; it has to do where nothing else is known. */
function homeOf(home: string | null) {
  const own = home === null ? undefined : parsePhoneNumberFromString(`+${home}`);
  if (own === undefined) return undefined;
  const { country, countryCallingCode } = own;
  return country === undefined
    ? { defaultCallingCode: countryCallingCode }
    : { defaultCountry: country };
}
