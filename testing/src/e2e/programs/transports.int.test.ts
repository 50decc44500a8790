// The MCP transports with the official client: HTTP and the pipe, the current protocol and the one before.
import { expect, test } from 'vitest';
import { BEN, startLinkedRelay } from '../linked.ts';
import { connect, makeToken, TRANSPORT_VERSIONS } from './client.ts';

test('every transport lists the tools of the token and answers with what grants allow', async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { api } = linked.demo;
  await linked.demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: BEN,
    displayName: 'Ben',
    canRead: true,
  });
  await linked.talk('Hello');
  const { secret } = await makeToken(linked, { scopes: ['messages:read'] });
  for (const [way, version] of TRANSPORT_VERSIONS) {
    const client = await connect(api, secret, way, version);
    expect(client.getServerVersion()?.name).toBe('whatsapp-mcp');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('get_chats');
    const { structuredContent } = await client.callTool({
      name: 'get_chats',
      arguments: { unread_only: false },
    });
    expect(structuredContent).toMatchObject({ chats: [{ name: 'Ben' }] });
    await client.close();
  }
});
