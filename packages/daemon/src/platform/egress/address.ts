// Decides whether an address belongs to the public internet. An address not known to be public counts as private: this
// machine, its networks, its cloud's metadata, in every spelling.
import { BlockList, isIPv4, isIPv6 } from 'node:net';

const INSIDE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // Carrier-grade NAT; some clouds serve their metadata here too.
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, and the usual address of a cloud's metadata.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Azure's service for its own machines, on an address that looks public.
  ['168.63.129.16', 32],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

const PUBLIC_V6 = ['2000::', 3] as const;
const INSIDE_V6: readonly (readonly [string, number])[] = [
  // Protocol assignments, Teredo among them: it embeds an IPv4 address that the sender chooses.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4, which embeds an IPv4 address too.
  ['2002::', 16],
  ['3fff::', 20],
];

/** These carry an IPv4 address in their last 32 bits and are judged by it. */
const CARRIERS = ['::ffff:0:0', '64:ff9b::'] as const;

const inside = new BlockList();
for (const [net, prefix] of INSIDE_V4) inside.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of INSIDE_V6) inside.addSubnet(net, prefix, 'ipv6');
const publicV6 = new BlockList();
publicV6.addSubnet(...PUBLIC_V6, 'ipv6');
const carriers = new BlockList();
for (const net of CARRIERS) carriers.addSubnet(net, 96, 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !inside.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  if (carriers.check(address, 'ipv6')) return isPublicAddress(carried(address));
  return publicV6.check(address, 'ipv6') && !inside.check(address, 'ipv6');
}

function carried(address: string): string {
  // The URL parser normalizes every IPv6 address: the last two groups in hexadecimal.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const bits = groups.map((group) => Number.parseInt(group || '0', 16));
  return bits.flatMap((group) => [group >> 8, group & 0xff]).join('.');
}
