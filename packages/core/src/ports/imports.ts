// Old chats made findable. Refuses before anything is stored, and then tells how far it is.
import type { ImportNews, ImportQuery } from '../api/imports.ts';

export interface ImportRun {
  /** The last is `done`. Leaving it early stops the import, which can be repeated. */
  readonly news: AsyncIterable<ImportNews>;
  /** To be called whatever happened: lets go of the file, and lets the next one begin. */
  end(): Promise<void>;
}

export interface ImportVerbs {
  begin(file: AsyncIterable<Uint8Array>, query: ImportQuery): Promise<ImportRun>;
}
