// Old chats made findable. Refuses before anything is stored, and then tells how far it is.
import type { ImportNews, ImportQuery } from '../api/imports.ts';

export interface ImportVerbs {
  /** What comes back ends with `done`; leaving it early stops the import, which can be repeated. */
  begin(file: AsyncIterable<Uint8Array>, query: ImportQuery): Promise<AsyncIterable<ImportNews>>;
}
