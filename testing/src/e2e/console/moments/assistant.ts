// Moments of /assistant: answered, working, asking for approval, stopped, and without a model.
import { button, five, type Moments } from './moment.ts';

const ask = async (page: Parameters<typeof button>[0], text: string) => {
  await page.getByLabel('Ask your assistant').fill(text);
  await page.keyboard.press('Enter');
};

export const ASSISTANT: Moments = {
  ...five('assistant', '/assistant', '**/api/assistant/**'),
  'assistant-at-it': {
    path: '/assistant',
    scene: 'live',
    async reach(page) {
      await ask(page, 'Tell me an endless story');
      await page.getByText('Once').last().waitFor();
    },
    async leave(page) {
      await button(page, 'Stop').click();
      await button(page, 'Ask again').waitFor();
    },
  },
  'assistant-approval': {
    path: '/assistant',
    scene: 'live',
    async reach(page) {
      await ask(page, 'Tell Priya that lunch moves to 13:30.');
      await button(page, 'Decline').last().waitFor();
    },
    async leave(page) {
      await button(page, 'Decline').last().click();
      await page.getByText('Then I leave it.').last().waitFor();
    },
  },
  'assistant-anew': {
    path: '/assistant',
    scene: 'live',
    reach: (page) => button(page, 'Start new session').click(),
  },
  'assistant-no-model': {
    path: '/assistant',
    scene: 'live',
    async reach(page, demo) {
      await demo.relay.ok('PATCH', '/api/settings', { model_provider: null });
      await page.reload();
      await page.getByText('Set up a model').waitFor();
    },
    leave: (_page, demo) =>
      demo.relay.ok('PATCH', '/api/settings', {
        model_provider: 'openai-compatible',
        model_name: 'scripted',
        model_base_url: `${demo.model.url}/v1`,
      }),
  },
};
