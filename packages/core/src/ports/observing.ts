// Groups that are read in silence, as routes and commands call them. Every refusal is a RelayError from the
// one table.
import type {
  ObservedGroup,
  ObservedPreview,
  ObserveGroup,
  Unobserved,
} from '../api/observed-groups.ts';

export interface ObservingVerbs {
  /** The longest observed first. */
  list(): Promise<readonly ObservedGroup[]>;
  /** What `add` would do. Writes nothing. */
  preview(wish: ObserveGroup): Promise<ObservedPreview>;
  /** Refused until the owner says that the group was told. Observed already: its terms are changed. */
  add(wish: ObserveGroup): Promise<ObservedGroup>;
  /** By the id or address of the group. */
  remove(group: string, options: { readonly erase: boolean }): Promise<Unobserved>;
}
