// The family's group and its week: the daemon begins a week ago, hears all of it, and is then let catch up with the
// present in two steps, since it looks back two days for what it has not digested yet. The second needs nobody's wait:
// from then on it is today, and the rest of the scene may be played meanwhile.
import { zoneNamed } from '@relay/core/schedule/zone';
import { ASSISTANT, FAMILY, NORA } from './people.ts';
import type { Scene } from './scene.ts';
import { daysAgo, week } from './week.ts';

const DAY = 86_400_000;
export const BEGINS_BEHIND_MS = 7 * DAY;
const HALFWAY_MS = 4 * DAY;

/** Once it is today; `digested` is when the week is. */
export interface Today {
  readonly digested: Promise<void>;
}

export async function theFamily(scene: Scene): Promise<Today> {
  const { api, daemon, group, until } = scene;
  const zone = zoneNamed(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? zoneNamed('UTC');
  if (zone === null) return { digested: Promise.resolve() };
  const cut = { zone, dailyAt: '04:00' };
  const now = new Date();
  const hello = new Date(now.getTime() - BEGINS_BEHIND_MS);
  await scene.says(NORA, group, 'Hello everybody, this is our new group!', hello);
  await until('the group', async () => {
    const body = {
      group: FAMILY,
      announced: true,
      may_answer: true,
      assistant_name: ASSISTANT,
    };
    return api.post('/api/observed-groups', { body });
  });
  const said = week(now, cut);
  for (const { phone, text, at } of said) await scene.says({ phone }, group, text, at);
  await until('the week to be heard', async () => {
    const [family] = await api.get('/api/observed-groups');
    const heard = (family?.messages_kept ?? 0) + (family?.messages_cut ?? 0);
    return heard >= said.length || undefined;
  });
  daemon.setBehind(HALFWAY_MS);
  await digested(scene, daysAgo(now, cut, 5).name);
  daemon.setBehind(0);
  return { digested: digested(scene, daysAgo(now, cut, 1).name) };
}

/** A digest that fails is told on its page; nobody is kept from the demo by it. */
async function digested({ api, until }: Scene, day: string): Promise<void> {
  await until('a digest', async () => {
    const { digests } = await api.get('/api/digests', { query: { group: FAMILY, day } });
    return digests[0]?.daily ?? undefined;
  }).catch(() => {});
}
