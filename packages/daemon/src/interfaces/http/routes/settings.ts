// Routes for the settings that the owner changes over the API. No response ever contains a key.
import {
  changeSettingsSchema,
  modelTrialSchema,
  settingsOverviewSchema,
} from '@relay/contract/api/settings';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

const tags = ['daemon'];

export function settingsRoutes(app: App, { settings }: Pick<HttpDeps, 'settings'>): void {
  app.get(
    '/api/settings',
    {
      schema: {
        operationId: 'getSettings',
        summary:
          'Every setting with where it comes from, the model agents think with, and the web search',
        tags,
        response: { 200: settingsOverviewSchema, ...errorResponses() },
      },
    },
    () => settings.overview(),
  );

  app.patch(
    '/api/settings',
    {
      schema: {
        operationId: 'changeSettings',
        summary: 'Change settings; what is not named stays',
        description:
          'Written to `relay.config.json` whole or not at all. What `changes` calls `now` counts at once, the rest from the next start; null brings the default back. What the environment sets is refused.',
        tags,
        body: changeSettingsSchema,
        response: { 200: settingsOverviewSchema, ...errorResponses(400, 409, 413, 415) },
      },
    },
    async ({ body }) => {
      await settings.change(body);
      return settings.overview();
    },
  );

  app.post(
    '/api/settings/model/trial',
    {
      schema: {
        operationId: 'tryModel',
        summary: 'Ask the model that is set up one short question; changes nothing',
        tags,
        response: { 200: modelTrialSchema, ...errorResponses(415) },
      },
    },
    () => settings.tryModel(),
  );
}
