// Reads phone numbers as people write them: with or without a country code, with any separators. Anything else is null.
// The API only accepts international digits (`phoneAlias`).
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { phoneAlias } from './alias.ts';

/** International digits. `home` is the number whose country applies to a number without a country code. */
export function readPhoneNumber(text: string, home: string | null): string | null {
  const given = text.trim().replace(/^00/, '+');
  if (/@|(?![0-9])\p{Nd}|\p{L}/u.test(given)) return null;
  const nearby = given.startsWith('+') ? undefined : homeOf(home);
  const written = [
    ...(nearby === undefined ? [] : [parsePhoneNumberFromString(given, nearby)]),
    parsePhoneNumberFromString(`+${given.replace(/^\+/, '')}`),
  ];
  const number = written.find(
    // Rejects input whose international form differs, such as zeros alone.
    (parsed) =>
      parsed?.isPossible() && parsePhoneNumberFromString(parsed.number)?.number === parsed.number,
  );
  return number === undefined ? null : (phoneAlias(number.number)?.value ?? null);
}

/** Several countries can share a calling code; used if nothing else is known. */
function homeOf(home: string | null) {
  const own = home === null ? undefined : parsePhoneNumberFromString(`+${home}`);
  if (own === undefined) return undefined;
  const { country, countryCallingCode } = own;
  return country === undefined
    ? { defaultCallingCode: countryCallingCode }
    : { defaultCountry: country };
}
