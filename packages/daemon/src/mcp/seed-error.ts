// The refusals that seed 002 has codes for. Over MCP they are answered as errors of JSON-RPC, code and name
// as written there; every other refusal is the result of the call, so that the program reads the sentence.
import { type ErrorCode, RelayError } from '@relay/core/errors';

const SEED = {
  SESSION_PATH_INVALID: { rpc: -32000, code: 'session_not_kept' },
  BROWSER_LAUNCH_FAILED: { rpc: -32001, code: 'whatsapp_not_started' },
  SESSION_EXPIRED: { rpc: -32000, code: 'whatsapp_not_connected' },
  CHAT_NOT_FOUND: { rpc: -32001, code: 'chat_not_found' },
  NETWORK_ERROR: { rpc: -32002, code: 'whatsapp_unreachable' },
  ELEMENT_NOT_FOUND: { rpc: -32003, code: 'whatsapp_changed' },
} as const satisfies Record<string, { readonly rpc: number; readonly code: ErrorCode }>;

export type SeedErrorName = keyof typeof SEED;

export class SeedError extends RelayError {
  readonly seedName: SeedErrorName;

  constructor(name: SeedErrorName, sentence: string) {
    super(SEED[name].code, { sentence });
    this.name = 'SeedError';
    this.seedName = name;
  }

  get rpc(): number {
    return SEED[this.seedName].rpc;
  }
}

/** What the seed's code for a name is; undefined for what is none of its names. */
export const seedCode = (name: unknown): number | undefined =>
  typeof name === 'string' && Object.hasOwn(SEED, name)
    ? SEED[name as SeedErrorName].rpc
    : undefined;
