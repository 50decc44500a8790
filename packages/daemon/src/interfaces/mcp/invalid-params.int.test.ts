// Tests what the MCP transports answer to unreadable params.
import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { freshMcpHarness } from './testing/fixture.ts';

const METHODS = ['tools/call', 'completion/complete', 'prompts/get', 'resources/read'];

test('answers unreadable params with the error code for invalid params', async () => {
  const { clientApi, newToken } = await freshMcpHarness(onTestFinished);
  const { secret } = await newToken({ scopes: ['messages:read'] });
  const hash = createHash('sha256').update(secret).digest('hex');
  for (const method of METHODS) {
    const body = { jsonrpc: '2.0', id: 1, method, params: { nothing: 'of the kind' } };
    const request = new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    });
    const response = await clientApi.fetch(request, hash, body);
    const said = (await response.text()).replace(/^event: message\ndata: /, '');
    expect(JSON.parse(said).error.code, method).toBe(-32602);
    expect(JSON.parse(said).error.message.length, method).toBeLessThan(300);
  }
});
