import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test.each([
  ['/chats', '/api/media/M'],
  ['/accounts/sales/chats', '/api/accounts/sales/media/M'],
])('on the page %s, a file is requested from %s', async (pathname, address) => {
  vi.stubGlobal('location', { pathname });
  vi.resetModules();
  const { mediaUrl } = await import('./media-files.ts');
  expect(mediaUrl('M')).toBe(address);
});
