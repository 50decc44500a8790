// The only place in the simulator that looks at the environment.

type Environment = Readonly<Record<string, string | undefined>>;

/** Where Baileys in a preloaded process shall find WhatsApp: `ws://…` of a simulated network. */
export const simulatorUrl = (env: Environment = process.env): string | null =>
  env.RELAY_SIMULATOR_URL || null;

/** By how many milliseconds the clock of a preloaded process begins behind the machine's. */
export const clockBehindMs = (env: Environment = process.env): number =>
  Number(env.RELAY_SIMULATOR_BEHIND_MS) || 0;
