// `relay memory outside`: where digests go besides Relay. Without options it says how it is; a secret is shown
// when it is made and never again.
import { resolve } from 'node:path';
import type { ChangeOutsideMemory, OutsideMemoryState } from '@relay/core/api/outside-memory';
import { clientOf } from '../../api.ts';
import type { Options, Run } from '../../command.ts';
import { oneLine } from '../../format.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const client = clientOf(config.home);
  const changed = changedBy(options);
  if (Object.keys(changed).length === 0) {
    const state = await client.get('/api/outside-memory');
    if (terminal.json) terminal.give(state);
    else for (const line of described(state)) terminal.say(line);
    return 0;
  }
  const { webhook_secret: secret, ...state } = await client.patch('/api/outside-memory', {
    body: changed,
  });
  if (terminal.json) {
    terminal.give({ ...state, webhook_secret: secret });
    return 0;
  }
  for (const line of described(state)) terminal.say(line);
  if (secret !== null) {
    terminal.say(`Secret: ${secret}`);
    terminal.note(
      'It is shown this once. Whoever receives the webhook checks its signature with it.',
    );
  }
  return 0;
};

/** Only what is named is there. */
type Changed = { [K in keyof ChangeOutsideMemory]?: Exclude<ChangeOutsideMemory[K], undefined> };

function changedBy(options: Options): Changed {
  const { folder, webhook, deviceId, hourly, rotateSecret } = options;
  return {
    ...(typeof folder === 'string' ? { folder: folder === '' ? null : resolve(folder) } : {}),
    ...(typeof webhook === 'string' ? { webhook_url: webhook === '' ? null : webhook } : {}),
    ...(typeof deviceId === 'string' ? { device_id: deviceId } : {}),
    ...(typeof hourly === 'boolean' ? { hourly } : {}),
    ...(rotateSecret === true ? { rotate_secret: true } : {}),
  };
}

function described({ folder, webhook_url, hourly, device_id }: OutsideMemoryState): string[] {
  if (folder === null && webhook_url === null) {
    return ['Digests stay in Relay. `relay memory outside --folder` or `--webhook` gives them on.'];
  }
  const what = hourly ? 'Digests of hours and days' : 'Digests of days';
  return [
    ...(folder === null ? [] : [`${what} are written to ${oneLine(folder)}, one file a day.`]),
    ...(webhook_url === null ? [] : [`${what} are sent to ${oneLine(webhook_url)}, signed.`]),
    `They are marked ${oneLine(device_id)}.`,
  ];
}
