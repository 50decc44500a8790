// The system's own way from a name to its addresses, asked once for each request.
import { lookup } from 'node:dns/promises';
import { EgressError } from './error.ts';

export interface Address {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (name: string) => Promise<readonly Address[]>;

export const resolve: Resolve = async (name) => {
  try {
    return await lookup(name, { all: true, order: 'verbatim' });
  } catch (cause) {
    throw new EgressError('unknown_name', { cause });
  }
};
