// Over which times activity is counted, and who uses tokens. Pure, and small enough for a page's first load.

/** A day by the hour, a week and a month by the day. */
export const ACTIVITY_HOURS = [24, 168, 720] as const;
export type ActivityHours = (typeof ACTIVITY_HOURS)[number];

/** Who used the tokens. */
export const SPENDERS = ['conversations', 'auto_reply', 'assistant', 'groups', 'other'] as const;
export type Spender = (typeof SPENDERS)[number];
