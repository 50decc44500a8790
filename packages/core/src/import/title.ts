// What a chat is called by the name of its export: "WhatsApp Chat with Ana.txt", "WhatsApp Chat - Family.zip".
// Null where the name says nothing. Pure.

const PREFIXES = [
  /^whatsapp chat (?:with|-) /i,
  /^whatsapp[- ]chat (?:mit|con|avec|met|med|z) /i,
  /^chat (?:de )?whatsapp (?:con|com|avec) /i,
  /^conversa (?:do whatsapp )?com /i,
  /^discussion whatsapp avec /i,
  /^чат whatsapp с (?:контактом )?/i,
];

export function titleOf(path: string): string | null {
  const file = path.split(/[/\\]/).at(-1) ?? '';
  const name = file
    .replace(/\.(?:txt|zip)$/i, '')
    .replace(/ \(\d+\)$/, '')
    .normalize('NFC')
    .trim();
  for (const prefix of PREFIXES) {
    if (prefix.test(name)) return name.replace(prefix, '').trim() || null;
  }
  return null;
}
