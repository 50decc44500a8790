// The words that requests share: how people, groups and moments are written.
// Invariant: one spelling each, on every route.
import { z } from 'zod';

export const Phone = z.string().regex(/^\+?\d{5,15}$/, 'a phone number is 5 to 15 digits');
export const Phones = z.array(Phone).max(1024);
export const ChatId = z
  .string()
  .regex(/^(\+?\d{5,15}|\d+@g\.us)$/, 'a phone number, or the id of a group');
export const Subject = z.string().min(1).max(100);
export const Addressing = z.enum(['lid', 'pn']);
export const KnownAs = z.enum(['both', 'lid', 'pn']);
export const Moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
export const Milliseconds = z.number().nonnegative().max(600_000);
