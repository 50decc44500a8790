import { verifies } from '@relay/testing/verifies';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { addMessages, type TextId } from '../i18n.ts';
import { RichText } from './rich-text.tsx';

addMessages('en', 'common', {
  'test.rich': 'See <b><link>the ledger</link></b> of {name}: <icon/>',
});

test('puts elements in place of tags, and never finds a tag in a value', () => {
  verifies('WORDS-VALUES');
  const text = createElement(RichText, {
    id: 'common.test.rich' as TextId,
    values: { name: '<link>Eve</link> & \\u202e' },
    components: {
      b: createElement('b'),
      link: createElement('a', { href: '/ledger' }),
      icon: createElement('i', null, '!'),
    },
  });
  expect(renderToStaticMarkup(text)).toBe(
    'See <b><a href="/ledger">the ledger</a></b> of &lt;link&gt;Eve&lt;/link&gt; &amp; \\u202e: <i>!</i>',
  );
});
