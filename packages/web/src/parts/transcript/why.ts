// The way from a line to why it was treated as it was, as a plain address: the log follows it.
import { defaultStringifySearch } from '@tanstack/react-router';

export const whyAddress = (message: string, chat: string | undefined): string =>
  `/ledger${defaultStringifySearch(chat === undefined ? { message } : { message, chat })}`;
