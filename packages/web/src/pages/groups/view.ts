// What of the page stands in its address: the day that is looked at, and whether by hours or as a whole. Pure.

export interface GroupsView {
  /** `YYYY-MM-DD`; the last day that has something unless given. */
  readonly day?: string;
  readonly by?: 'hour' | 'day';
}

/** What is not understood is left out. */
export function readGroupsView({ day, by }: Record<string, unknown>): GroupsView {
  const isDay =
    typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day));
  return { ...(isDay ? { day } : {}), ...(by === 'hour' || by === 'day' ? { by } : {}) };
}
