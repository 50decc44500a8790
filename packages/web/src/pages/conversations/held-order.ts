// Rows never jump under a pointer. Pure: while a column is held, what is shown keeps its order, what is older comes
// after it, and what arrived since is counted until somebody asks for it.

interface HeldOrder {
  /** Ids, in the order in which they stand. */
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
