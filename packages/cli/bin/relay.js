#!/usr/bin/env node
// `relay` in a checkout: runs the output of `npm run build`. Plain JavaScript that any Node can parse, so that an old
// Node gets a clear message instead of a syntax error.
const main = new URL('../../../dist/cli/main.js', import.meta.url);
const version = process.versions.node;

if (Number(version.split('.')[0]) < 24) {
  process.stderr.write(
    `Relay needs Node 24 or newer, and this is Node ${version}. Install Node 24 from https://nodejs.org, then run the command again.\n`,
  );
  process.exitCode = 9;
} else if (process.getBuiltinModule('node:fs').existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('Relay is not built yet. Run `npm run build` first.\n');
  process.exitCode = 1;
}
