// Requirements for texts: of the console, of the command and of errors.
export const WORDS = {
  'WORDS-CATALOGUES':
    'Every catalogue of the console has every text, with the same values, and every text is used.',
  'WORDS-ERROR-ACTION':
    'An error says what is wrong and, if something can be done, what to do, each as a text of its own.',
  'WORDS-HELP':
    '`relay --help` shows the commands people start with; `relay help all` and `relay help <command>` show the rest.',
  'WORDS-LOCALES':
    'Every page of the console is complete in every language at both widths, and Arabic is mirrored.',
  'WORDS-PLAIN':
    'Texts on screen, headers and test titles have none of the words that need decoding.',
  'WORDS-VALUES':
    'A value in a text, such as a contact’s name, is shown as it is: it brings neither tags nor escaped characters.',
} as const;
