// Tests `authenticate_qr` with the official client, over both transports and both protocol versions, on a scripted
// transport.
import { TRANSPORT_VERSIONS } from '@relay/testing/e2e/programs/client';
import { UNLINKED } from '@relay/testing/link';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { freshMcpHarness } from '../testing/fixture.ts';

const LINK = { name: 'authenticate_qr', arguments: {} };

test('waits for a QR code and returns it, and reports the account as linked afterwards', async () => {
  verifies('002-AUTH-INPUT', '002-AUTH-WAITING', '002-AUTH-AUTHENTICATED');
  const { connect, newToken, network, waits } = await freshMcpHarness(onTestFinished);
  const token = await newToken({ scopes: ['link:write'] });
  network.connect = () => {
    network.become({ state: 'connecting' });
    setTimeout(() => network.become({ state: 'qr_ready', qr: 'scan me' }), 100);
  };
  for (const [way, version] of TRANSPORT_VERSIONS) {
    network.become(UNLINKED);
    waits.length = 0;
    const client = await connect(token, way, version);
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      { name: 'authenticate_qr', inputSchema: { type: 'object', properties: {} } },
    ]);
    const said: (string | undefined)[] = [];
    const shown = await client.callTool(LINK, {
      onprogress: ({ message }) => said.push(message),
    });
    expect(shown.structuredContent).toEqual({
      qr_code_base64: Buffer.from('scan me').toString('base64'),
      status: 'waiting',
    });
    expect(said[0]).toBe('Connecting to WhatsApp.');
    const given = await client.callTool({ ...LINK, arguments: { phone: '1' } });
    expect(given.isError).toBe(true);
    network.become({ state: 'connected', qr: null, phone: '491510000000' });
    const linked = await client.callTool(LINK);
    expect(linked.structuredContent).toEqual({ status: 'authenticated' });
    await client.close();
  }
});

test('returns the seed’s code when the session cannot be stored or linking does not start', async () => {
  verifies('002-AUTH-ERR-32000', '002-AUTH-ERR-32001');
  const { connect, newToken, network, deps, sql } = await freshMcpHarness(onTestFinished);
  const token = await newToken({ scopes: ['link:write'] });
  const start = network.connect;
  for (const [way, version] of TRANSPORT_VERSIONS) {
    const client = await connect(token, way, version);
    network.become({ ...UNLINKED });
    network.connect = () => network.become({ state: 'client_outdated' });
    await expect(client.callTool(LINK)).rejects.toMatchObject({
      code: -32001,
      message: expect.stringContaining('BROWSER_LAUNCH_FAILED'),
    });
    // No QR code ever comes.
    network.become({ ...UNLINKED });
    network.connect = () => network.become({ state: 'connecting' });
    await expect(client.callTool(LINK)).rejects.toMatchObject({ code: -32001 });
    network.connect = start;
    await client.close();
  }

  expect(await deps.keepsSession()).toBe(true);
  await sql(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`);
  await sql('CREATE TRIGGER full_disk BEFORE INSERT ON whatsapp_keys EXECUTE FUNCTION full_disk()');
  network.become({ ...UNLINKED });
  for (const [way, version] of TRANSPORT_VERSIONS) {
    const client = await connect(token, way, version);
    await expect(client.callTool(LINK)).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('SESSION_PATH_INVALID'),
    });
    await client.close();
  }
  expect(await sql('SELECT 1 FROM whatsapp_keys')).toEqual([]);
});
