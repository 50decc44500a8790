// `relay mcp install`: a token of its own for a program, and the server with it in the program's settings.
// The file is read and judged before a token is made, and the secret is shown nowhere.
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { Run } from '../../command.ts';
import type { Config } from '../../config.ts';
import { ensureDaemon } from '../../launch.ts';
import { type Place, placeOf } from '../../mcp/clients.ts';
import { type Entry, entryIn, put, readText, secretIn, writeText } from '../../mcp/entry.ts';
import { readSettingsFile, replaceSettingsFile } from '../../mcp/settings-file.ts';
import { type Held, holdToken } from '../../mcp/token.ts';
import type { Terminal } from '../../terminal.ts';
import { withWhom } from '../../tokens/words.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const place = placeOf(options, config);
  if (options.print) {
    print(terminal, place, entryOf(config, 'PUT THE TOKEN HERE'));
    return 0;
  }
  const before = readSettingsFile(place.file);
  const text = readText(before ?? '', place.file);
  const secret = secretIn(entryIn(text, place));
  await ensureDaemon(config, terminal);
  const held = await holdToken(config.home, place.token, secret, options);
  const after = writeText(put(text, place, entryOf(config, held.secret)));
  const copy = after === before ? null : replaceSettingsFile(place.file, before, after);
  if (terminal.json) {
    const { client, file, name } = place;
    const { how, token } = held;
    terminal.give({ client, file, name, changed: after !== before, backup: copy, how, token });
  } else tell(terminal, config, place, held, { changed: after !== before, copy });
  return 0;
};

/** Absolute, since a program that was not started from a shell may know no PATH. */
const entryOf = ({ home }: Config, secret: string): Entry => ({
  command: process.execPath,
  args: [realpathSync(process.argv[1] ?? ''), 'mcp'],
  env: { RELAY_HOME: home, RELAY_TOKEN: secret },
});

function print(terminal: Terminal, place: Place, entry: Entry): void {
  const text = put(readText('', place.file), place, entry);
  if (terminal.json) {
    terminal.give({ file: place.file, settings: text.value });
    return;
  }
  terminal.write(writeText(text));
  terminal.note(`It belongs into ${place.file}; \`relay token create\` makes the token.`);
}

const HOW: Readonly<Record<Held['how'], string>> = {
  made: 'a token of its own',
  rotated: 'a new secret for the token it had, whose old one is worth nothing now',
  kept: 'the token it had',
};

function tell(
  terminal: Terminal,
  { databaseUrl }: Config,
  { title, file, name, client }: Place,
  { how, token }: Held,
  { changed, copy }: { changed: boolean; copy: string | null },
): void {
  const { bold, dim } = terminal.colours;
  terminal.say(
    changed
      ? `${bold(title)} has Relay now, as the server ${bold(name)} with ${HOW[how]}.`
      : `${bold(title)} had Relay already, as the server ${bold(name)}. Nothing was changed.`,
  );
  terminal.say(`  File    ${file}`);
  if (copy !== null) terminal.say(`          ${dim(`as it was: ${basename(copy)}`)}`);
  terminal.say(`  Token   ${token.name}: ${token.scopes.join(', ')}`);
  terminal.say(`          ${withWhom(token)}`);
  if (token.scopes.includes('messages:send')) {
    terminal.say(`          ${token.confirm ? 'asks before it sends' : 'sends without asking'}`);
  }
  const which = client === null ? `--file '${file}'` : `--client ${client}`;
  terminal.say(`Restart ${title} to use it. \`relay mcp uninstall ${which}\` takes it out again.`);
  if (databaseUrl !== null) {
    terminal.say('Start Relay yourself before: that program does not know your DATABASE_URL.');
  }
}
