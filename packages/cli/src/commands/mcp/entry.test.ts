import { describe, expect, test } from 'vitest';
import { resolveClientTarget } from './clients.ts';
import {
  findEntrySecret,
  findServerEntry,
  parseSettings,
  putServerEntry,
  removeServerEntry,
  type ServerEntry,
  serializeSettings,
} from './install.ts';

const FOLDERS = { userFolder: '/home/ana', settingsFolder: '/home/ana/.config' };
const ENTRY: ServerEntry = {
  command: '/usr/bin/node',
  args: ['/opt/relay/bin/relay.js', 'mcp'],
  env: { RELAY_HOME: '/home/ana/.relay-agent', RELAY_TOKEN: 'relay_secret' },
};
const claude = resolveClientTarget({ client: 'claude-desktop' }, FOLDERS);
const install = (before: string, place = claude, entry = ENTRY) =>
  serializeSettings(putServerEntry(parseSettings(before, place.file), place, entry));

describe('where an entry goes', () => {
  test.each([
    ['claude-desktop', '/home/ana/.config/Claude/claude_desktop_config.json', 'mcpServers'],
    ['claude-code', '/home/ana/.claude.json', 'mcpServers'],
    ['cursor', '/home/ana/.cursor/mcp.json', 'mcpServers'],
    ['vscode', '/home/ana/.config/Code/User/mcp.json', 'servers'],
  ])('%s keeps its servers in %s under %s', (client, file, key) => {
    expect(resolveClientTarget({ client }, FOLDERS)).toMatchObject({
      client,
      file,
      key,
      name: 'relay',
    });
  });

  test('uses a given file as it is, and names the token after both', () => {
    const place = resolveClientTarget({ file: '/w/.vscode/mcp.json', name: 'wa' }, FOLDERS);
    expect(place).toMatchObject({ file: '/w/.vscode/mcp.json', key: 'servers', name: 'wa' });
    expect(place.tokenName).toBe('mcp.json wa');
    expect(claude.tokenName).toBe('Claude Desktop');
  });

  test.each([
    [{}, /or give --file/],
    [{ client: 'emacs' }, /Give --client one of/],
    [{ client: 'cursor', name: '../x' }, /Give --name/],
  ])('reports unclear arguments: %j', (options, sentence) => {
    expect(() => resolveClientTarget(options, FOLDERS)).toThrow(sentence);
  });
});

describe('the written settings', () => {
  test('contain only the server in a new file', () => {
    expect(JSON.parse(install(''))).toEqual({ mcpServers: { relay: ENTRY } });
    const vscode = resolveClientTarget({ client: 'vscode' }, FOLDERS);
    expect(JSON.parse(install('', vscode))).toEqual({
      servers: { relay: { type: 'stdio', ...ENTRY } },
    });
  });

  test('keep everything else as it was written', () => {
    const before =
      '{\r\n\t"big": 12345678901234567890,\r\n\t"one": 1.0,\r\n\t"__proto__": {"a": []},\r\n\t"mcpServers": {\r\n\t\t"other": {\r\n\t\t\t"command": "x"\r\n\t\t}\r\n\t}\r\n}';
    const after = install(before);
    const out = serializeSettings(removeServerEntry(parseSettings(after, ''), claude));
    expect(after).toContain('\t"big": 12345678901234567890,\r\n\t"one": 1.0,');
    expect(out).toBe(before.replace('{"a": []}', '{\r\n\t\t"a": []\r\n\t}'));
  });

  test('stay unchanged the second time, with added fields', () => {
    const once = install('{"theme":"dark"}');
    expect(install(once)).toBe(once);
    const mine = JSON.parse(once);
    mine.mcpServers.relay.alwaysAllow = ['get_chats'];
    mine.mcpServers.relay.env.HTTPS_PROXY = 'p';
    const again = JSON.parse(
      install(JSON.stringify(mine), claude, { ...ENTRY, env: { RELAY_TOKEN: 'relay_new' } }),
    );
    expect(again.mcpServers.relay).toEqual({
      ...mine.mcpServers.relay,
      env: { ...mine.mcpServers.relay.env, RELAY_TOKEN: 'relay_new' },
    });
  });

  test.each(['{ "mcpServers": ', '[]', '"x"', '// note\n{}', '{"mcpServers": []}', 'null'])(
    'stay unchanged when they are malformed: %s',
    (before) => {
      expect(() => install(before)).toThrow(/Nothing was changed/);
    },
  );

  test('keep an entry that belongs to another server', () => {
    const theirs = '{"mcpServers":{"relay":{"command":"relay-race","args":["run"]}}}';
    expect(() => install(theirs)).toThrow(/already has another server named relay/);
  });

  test("accept names of JavaScript's own properties", () => {
    const place = resolveClientTarget({ client: 'cursor', name: 'constructor' }, FOLDERS);
    expect(findServerEntry(parseSettings('{"mcpServers":{}}', ''), place)).toBeNull();
    expect(findEntrySecret(JSON.parse(install('{}', place)).mcpServers.constructor)).toBe(
      'relay_secret',
    );
  });
});
