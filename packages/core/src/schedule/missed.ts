// What may become of occurrences that came while Relay could not act. Apart from the rule and its schema: the console
// lists these, and brings nothing along that checks.
export const CATCH_UPS = ['skip', 'once', 'all'] as const;
export type CatchUp = (typeof CATCH_UPS)[number];
