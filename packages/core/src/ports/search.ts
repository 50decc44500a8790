// Search as the owner's routes and commands call it. Implemented by `search`; every refusal is a RelayError
// from the one table.
import type { SearchQuery, SearchResponse } from '../api/search.ts';

export interface SearchVerbs {
  search(query: SearchQuery): Promise<SearchResponse>;
}
