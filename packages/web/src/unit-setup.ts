// Loads the English texts for unit tests.
import { type Area, activateLocale, addMessages } from './i18n.ts';

const catalogues = import.meta.glob<Record<string, string>>('./locales/en/*.json', {
  eager: true,
  import: 'default',
});

for (const [path, messages] of Object.entries(catalogues)) {
  const area = path.slice('./locales/en/'.length, -'.json'.length) as Area;
  addMessages('en', area, messages);
}
activateLocale('en', 'en-GB');
