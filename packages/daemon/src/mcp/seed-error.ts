// The refusals that seed 002 has codes for. They are answered as errors of JSON-RPC, code and name as written
// there; every other refusal is the result of the call, so that the program reads the sentence.

const CODES = {
  SESSION_PATH_INVALID: -32000,
  BROWSER_LAUNCH_FAILED: -32001,
  SESSION_EXPIRED: -32000,
  CHAT_NOT_FOUND: -32001,
  NETWORK_ERROR: -32002,
  ELEMENT_NOT_FOUND: -32003,
} as const;

export type SeedErrorName = keyof typeof CODES;

export class SeedError extends Error {
  readonly seedName: SeedErrorName;
  readonly code: number;

  constructor(name: SeedErrorName, sentence: string) {
    super(`${name}: ${sentence}`);
    this.name = 'SeedError';
    this.seedName = name;
    this.code = CODES[name];
  }
}
