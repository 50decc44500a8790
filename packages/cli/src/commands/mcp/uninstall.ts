// `relay mcp uninstall`: the server is taken out of a program's settings, and its token opens nothing more.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { ensureDaemon } from '../../launch.ts';
import { placeOf } from '../../mcp/clients.ts';
import { entryIn, readText, takeOut, writeText } from '../../mcp/entry.ts';
import { readSettingsFile, replaceSettingsFile } from '../../mcp/settings-file.ts';
import { tokenCalled } from '../../mcp/token.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const place = placeOf(options, config);
  const { client, title, file, name } = place;
  const before = readSettingsFile(file);
  const text = readText(before ?? '', file);
  const removed = entryIn(text, place) !== null;
  if (removed) replaceSettingsFile(file, before, writeText(takeOut(text, place)));
  await ensureDaemon(config, terminal);
  const token = await tokenCalled(config.home, place.token);
  if (token !== null) {
    await clientOf(config.home).delete('/api/tokens/{token}', { path: { token: token.id } });
  }
  if (terminal.json) {
    terminal.give({ client, file, name, removed, revoked: token?.name ?? null });
    return 0;
  }
  terminal.say(
    removed ? `${title} has Relay no longer: ${file}` : `There was no server ${name} in ${file}.`,
  );
  if (token !== null) terminal.say(`The token ${token.name} opens nothing any more.`);
  return 0;
};
