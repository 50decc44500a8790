// Removes folders in tests, with retries.
import { rm } from 'node:fs/promises';

/**
 * Removes a folder with everything in it. A process that is just ending may still write into the folder, which makes a
 * single attempt fail with ENOTEMPTY or EBUSY.
 */
export const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 20 });
