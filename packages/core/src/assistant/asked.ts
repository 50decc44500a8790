// How much the owner may ask at once; the API refuses what is longer, and the console says so before.

export const MOST_ASKED = 8_000;
