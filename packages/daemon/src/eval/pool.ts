// Several things at once and never more; the results stand in the order of what they came from. The first
// failure ends it: what has begun is waited for, nothing more is begun.

export async function eachOf<Item, Result>(
  items: readonly Item[],
  places: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  let failed = false;
  const workers = Array.from({ length: Math.min(places, items.length) }, async () => {
    for (const [place, item] of waiting) {
      if (failed) return;
      try {
        results[place] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  });
  const ended = await Promise.allSettled(workers);
  const broken = ended.find((each) => each.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return results;
}
