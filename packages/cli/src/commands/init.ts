// `relay init`: the model, the daemon, the link and a message to oneself, in this order. A person at a terminal is led
// through it (init/guided.ts); without one nothing is asked, and what is missing is said with the flags that bring it.
import type { Probe } from '@relay/core/api/messages';
import type { Client } from '@relay/core/client/client';
import { clientOf } from '../api.ts';
import type { Call, Run } from '../command.ts';
import { guide } from '../init/guided.ts';
import { modelGiven, searchKey } from '../init/model.ts';
import { ensureDaemon } from '../launch.ts';
import { connectedAs, untilLinked } from '../link/link.ts';
import { canAsk } from '../prompt.ts';
import type { Terminal } from '../terminal.ts';

export const run: Run = async (call) => {
  const { config, terminal, options } = call;
  // Whoever only brings the key of the web search has been through the rest before.
  if (canAsk() && !terminal.json && !options.braveKey) return guide(call);
  const model = await modelGiven(call);
  const search = await searchKey(call);
  await ensureDaemon(config, terminal);
  const client = clientOf(config.home);
  if (options.skipLink === true) return withoutLink(call, client, { ...model, ...search });
  terminal.progress('Connecting to WhatsApp …');
  const phone = typeof options.phone === 'string' ? { phone: options.phone } : {};
  await client.post('/api/init', { body: { ...model, ...search, ...phone } });
  const link = await untilLinked(config.home, terminal);
  if (!terminal.json) terminal.say(connectedAs(link));
  const probe = options.skipProbe || options.braveKey ? null : await tryOut(client, terminal);
  if (terminal.json) {
    terminal.give({ connected: true, phone: link.phone, name: link.name, probe });
  } else if (probe !== null) sayProbe(terminal, probe);
  if (!options.braveKey) sayMissing(call, Object.keys(model).length > 0);
  return probe === null || probe.arrived ? 0 : 1;
};

async function withoutLink(
  { terminal }: Call,
  client: Client,
  settings: Record<string, string>,
): Promise<number> {
  if (Object.keys(settings).length > 0) await client.patch('/api/settings', { body: settings });
  if (terminal.json) terminal.give({ connected: false, phone: null, name: null, probe: null });
  else terminal.say('Not linked yet: `relay init` links your WhatsApp account.');
  return 0;
}

async function tryOut(client: Client, terminal: Terminal): Promise<Probe> {
  terminal.progress('Writing a message to yourself …');
  return client.post('/api/whatsapp/probe');
}

function sayProbe({ say, colours }: Terminal, probe: Probe): void {
  if (probe.arrived) say(`A message to yourself arrived: ${colours.green('✓')}`);
  else say(`${colours.red('✗')} ${probe.sentence}`);
}

/** What a person would have been asked for. */
function sayMissing({ config, options, terminal }: Call, isGiven: boolean): void {
  const known = isGiven || config.modelKey !== null || config.keyless !== null;
  if (!known && options.skipModel !== true) {
    terminal.progress(
      'No model is set: `relay init --provider anthropic --api-key < key.txt` brings one.',
    );
  }
  if (options.skipGrants !== true) {
    terminal.progress('Nobody is read or answered yet: `relay grant <who> --read --draft`.');
  }
}
