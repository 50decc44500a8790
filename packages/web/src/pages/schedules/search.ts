// What the page's address says: those to come or those that are over, and which page of them. Pure.

export interface SchedulesSearch {
  readonly show?: 'past' | undefined;
  /** From 1, which is left out. */
  readonly page?: number | undefined;
}

export function readSchedulesSearch(raw: Readonly<Record<string, unknown>>): SchedulesSearch {
  const page = Number(raw.page);
  return {
    ...(raw.show === 'past' ? { show: 'past' as const } : {}),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
  };
}
