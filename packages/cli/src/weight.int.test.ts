import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { CLI_COMMANDS } from './catalogue.ts';

/** The npm packages that these files load. */
function packagesOf(...files: string[]): string[] {
  const urls = files.map((file) => pathToFileURL(join(import.meta.dirname, file)).href);
  const script = `
    import { registerHooks } from 'node:module';
    const found = new Set();
    registerHooks({
      resolve(name, context, next) {
        const { url, ...rest } = next(name, context);
        const inside = /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1];
        if (inside !== undefined) found.add(inside);
        return { url, ...rest };
      },
    });
    for (const url of ${JSON.stringify(urls)}) await import(url);
    console.log(JSON.stringify([...found].sort()));`;
  const args = ['--input-type=module', '--no-warnings', '-e', script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('commands about conversations load no heavy package before it is needed', () => {
  const names = CLI_COMMANDS.filter(({ group }) => group === 'Conversations').map(
    ({ name }) => name,
  );
  const files = ['conversations', 'create', 'transcript'];
  const loaded = packagesOf(...files.map((name) => `commands/conversations/${name}.ts`));
  expect(names).toHaveLength(8);
  expect(loaded).not.toContain('yaml');
  expect(loaded).not.toContain('zod');
});

test('only reading a template loads YAML', () => {
  expect(packagesOf('commands/conversations/template.ts')).toContain('yaml');
});
