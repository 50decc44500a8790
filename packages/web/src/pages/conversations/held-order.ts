// Keeps rows in place under the pointer. Pure: while a column is held, shown rows keep their order, older ones are
// appended, and new ones are counted until the owner asks for them.

interface HeldOrder {
  /** Ids in display order. */
  readonly shown: readonly string[];
  /** Ids that arrived since. */
  readonly arrived: readonly string[];
}

/** `held` is null while no pointer is inside. */
export function holdOrder(held: readonly string[] | null, fresh: readonly string[]): HeldOrder {
  if (held === null) return { shown: fresh, arrived: [] };
  const kept = new Set(held);
  const end = fresh.findLastIndex((id) => kept.has(id)) + 1;
  const older = fresh.slice(end);
  const arrived = fresh.slice(0, end).filter((id) => !kept.has(id));
  return held.length === 0
    ? { shown: fresh, arrived: [] }
    : { shown: [...held, ...older], arrived };
}
