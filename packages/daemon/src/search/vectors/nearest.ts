// The nearest of all documents that were offered, as many as are wanted. Distances are small whole numbers, so
// counting them tells how far the last of the nearest is, without sorting anything.

export class Nearest {
  readonly #most: number;
  readonly #counts: Uint32Array;
  #within = 0;
  readonly #found: { readonly document: number; readonly distance: number }[] = [];
  /** Whoever is further away than this is not among them. */
  reach: number;

  constructor(most: number, furthest: number) {
    this.#most = most;
    this.#counts = new Uint32Array(furthest + 1);
    this.reach = furthest;
  }

  offer(document: number, distance: number): void {
    if (distance > this.reach) return;
    this.#found.push({ document, distance });
    this.#counts[distance] = this.#at(distance) + 1;
    this.#within++;
    while (this.#within - this.#at(this.reach) >= this.#most) {
      this.#within -= this.#at(this.reach);
      this.reach--;
    }
  }

  documents(): readonly number[] {
    return this.#found
      .filter(({ distance }) => distance <= this.reach)
      .sort((a, b) => a.distance - b.distance)
      .slice(0, this.#most)
      .map(({ document }) => document);
  }

  #at(distance: number): number {
    return this.#counts[distance] as number;
  }
}
