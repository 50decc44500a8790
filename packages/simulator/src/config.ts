// Reads the simulator's environment variables; no other file of the simulator reads the environment.

type Environment = Readonly<Record<string, string | undefined>>;

/** The `ws://…` address of a simulated network that Baileys in a preloaded process connects to. */
export const simulatorUrl = (env: Environment = process.env): string | null =>
  env.RELAY_SIMULATOR_URL || null;

/** How many milliseconds the clock of a preloaded process starts behind the machine's. */
export const clockBehindMs = (env: Environment = process.env): number =>
  Number(env.RELAY_SIMULATOR_BEHIND_MS) || 0;
