import { expect, test } from 'vitest';
import {
  connectionUrl,
  loopbackAddress,
  serverArguments,
  socketAddress,
  socketFits,
} from './settings.ts';

test('a socket server listens on no network, a loopback server on no socket', () => {
  expect(serverArguments(socketAddress('/home/a'))).toContain('listen_addresses=');
  expect(serverArguments(socketAddress('/home/a'))).toContain('unix_socket_directories=.');
  expect(serverArguments(loopbackAddress(4321))).toContain('listen_addresses=127.0.0.1');
  expect(serverArguments(loopbackAddress(4321))).toContain('unix_socket_directories=');
});

test('additional settings override the built-in ones, never the address', () => {
  const given = serverArguments(socketAddress('/home/a'), { fsync: 'off', listen_addresses: '*' });
  expect(given).toContain('fsync=off');
  expect(given).not.toContain('fsync=on');
  expect(given).not.toContain('listen_addresses=*');
});

test('the length of a socket path is measured in bytes', () => {
  const longest = 103 - '/.s.PGSQL.5432'.length;
  expect(socketFits(`/${'a'.repeat(longest - 1)}`)).toBe(process.platform !== 'win32');
  expect(socketFits(`/${'é'.repeat(longest - 1)}`)).toBe(false);
});

test('the URL has a socket directory in its query and a port in its authority', () => {
  const who = { user: 'relay', password: 'p/w', database: 'relay' };
  expect(connectionUrl({ ...who, host: '/a b', port: 5432 })).toBe(
    'postgresql://relay:p%2Fw@localhost/relay?host=%2Fa%20b&port=5432',
  );
  expect(connectionUrl({ ...who, host: '127.0.0.1', port: 99 })).toBe(
    'postgresql://relay:p%2Fw@127.0.0.1:99/relay',
  );
});
