// The MCP clients whose settings `relay mcp install` can write: where their files are, and under which key they list
// servers.
import { basename, join, resolve } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import type { CommandOptions } from '../../command.ts';
import type { CliConfig } from '../../config.ts';

type Folders = Pick<CliConfig, 'userFolder' | 'settingsFolder'>;

interface ClientSpec {
  readonly title: string;
  /** The key of the object that holds the servers. */
  readonly key: 'mcpServers' | 'servers';
  /** Whether an entry must state the stdio transport. */
  readonly typed: boolean;
  file(folders: Folders): string;
}

const CLIENTS = {
  'claude-desktop': {
    title: 'Claude Desktop',
    key: 'mcpServers',
    typed: false,
    file: ({ settingsFolder }) => join(settingsFolder, 'Claude', 'claude_desktop_config.json'),
  },
  'claude-code': {
    title: 'Claude Code',
    key: 'mcpServers',
    typed: true,
    file: ({ userFolder }) => join(userFolder, '.claude.json'),
  },
  cursor: {
    title: 'Cursor',
    key: 'mcpServers',
    typed: false,
    file: ({ userFolder }) => join(userFolder, '.cursor', 'mcp.json'),
  },
  vscode: {
    title: 'VS Code',
    key: 'servers',
    typed: true,
    file: ({ settingsFolder }) => join(settingsFolder, 'Code', 'User', 'mcp.json'),
  },
} as const satisfies Record<string, ClientSpec>;

type McpClientName = keyof typeof CLIENTS;
export const MCP_CLIENT_NAMES = Object.keys(CLIENTS) as McpClientName[];

/** Where an entry goes, and the names of the entry and its token. */
export interface McpClientTarget {
  readonly client: McpClientName | null;
  readonly title: string;
  readonly file: string;
  readonly key: ClientSpec['key'];
  readonly hasTypeField: boolean;
  /** Name of the entry. */
  readonly name: string;
  /** Name of the token, which the owner sees in approvals and in the ledger. */
  readonly tokenName: string;
}

export function resolveClientTarget(options: CommandOptions, folders: Folders): McpClientTarget {
  const client = parseClientName(options.client);
  const given = typeof options.file === 'string' ? resolve(options.file) : null;
  const spec: ClientSpec | null = client === null ? null : CLIENTS[client];
  if (spec === null && given === null) {
    throw unclear(`Give --client one of ${MCP_CLIENT_NAMES.join(', ')}, or give --file.`);
  }
  const file = given ?? spec?.file(folders) ?? '';
  const title = spec?.title ?? basename(file);
  const name = nameOf(options.name);
  return {
    client,
    title,
    file,
    // Only VS Code uses this key, also in a project's folder.
    key: spec?.key ?? (basename(resolve(file, '..')) === '.vscode' ? 'servers' : 'mcpServers'),
    hasTypeField: spec?.typed ?? true,
    name,
    tokenName: tokenName(title, name),
  };
}

const DEFAULT_SERVER_NAME = 'relay';

function parseClientName(given: CommandOptions[string]): McpClientName | null {
  if (given === undefined) return null;
  const known = MCP_CLIENT_NAMES.find((name) => name === given);
  if (known === undefined) throw unclear(`Give --client one of ${MCP_CLIENT_NAMES.join(', ')}.`);
  return known;
}

function nameOf(given: CommandOptions[string]): string {
  const name = typeof given === 'string' ? given : DEFAULT_SERVER_NAME;
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,39}$/.test(name)) {
    throw unclear('Give --name up to 40 letters, digits, - and _.');
  }
  return name;
}

const tokenName = (title: string, name: string): string => {
  const plain = title.replace(/[^\p{L}\p{N} ._-]/gu, '').replace(/^[ ._-]+/, '') || 'program';
  return name === DEFAULT_SERVER_NAME ? plain.slice(0, 60) : `${plain.slice(0, 19)} ${name}`;
};

const unclear = (what: string) => new RelayError('usage', { what });
