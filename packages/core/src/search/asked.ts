// How long a question to search may be; the API refuses what is longer, and the console says so before.

export const LONGEST_QUESTION = 300;
