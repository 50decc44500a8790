// Finds the programs that tests of the console need: a Chromium, and a Caddy for the one that comes through a proxy.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** `CHROMIUM`, or the first one on the path. */
export const findChromium = (): string | undefined =>
  findProgram('CHROMIUM', [
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
  ]);

/** `CADDY`, or the one on the path. */
export const findCaddy = (): string | undefined => findProgram('CADDY', ['caddy']);

function findProgram(variable: string, names: readonly string[]): string | undefined {
  const { [variable]: given, PATH = '' } = process.env;
  if (given) return given;
  const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return places.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
