// The only place in the simulator that looks at the environment.

/** Where Baileys in a preloaded process shall find WhatsApp: `ws://…` of a simulated network. */
export const simulatedUrl = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | null => env.RELAY_SIMULATOR_URL || null;
