// Schedules: a repeated one in another time zone, one for Friday, a monthly note to oneself, and a cancelled one.
import type { Demo } from '../../demo.ts';

const DANA = '+14155550101';
const MUM = '+14155550104';

export async function schedules(demo: Demo): Promise<void> {
  const later = (to: string, text: string, when: string, more: object = {}) =>
    demo.relay.ok<{ id: string }>('POST', '/api/schedules', { to, text, when, ...more });
  await later(MUM, 'Good morning! How did you sleep?', 'every weekday 9am', {
    zone: 'America/New_York',
  });
  await later(DANA, 'Do not forget the spare keys, please.', 'on friday at 18:00');
  await later('me', 'Pay the rent', 'every month on the 1st at 8');
  const { id } = await later(DANA, 'Happy birthday!', 'every year on 24 december at 9');
  await demo.relay.ok('DELETE', `/api/schedules/${id}`);
}
