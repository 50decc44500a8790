// Endings that make a name smaller, dearer or more polite, or that a grammar puts on it. Closed classes of
// several languages, compared as they sound. Before a diminutive a name may lose its last vowel.
import { soundOf } from './sound.ts';

const asHeard = (endings: string): ReadonlySet<string> => new Set(endings.split(' ').map(soundOf));

const DIMINUTIVES = asHeard(
  'ita ito cita cito illa illo ina ino inha inho zinha zinho etta etto uccia ochka echka ushka enka chen lein',
);
const PARTICLES = asHeard('ji bhai di didi jaan ben san chan kun sama ya ssi nim jan em ka ke s');

/** Both as they sound. */
export function isWithEnding(heard: string, name: string): boolean {
  const stem = name.replace(/[aeiou]$/, '');
  return (
    (heard.startsWith(stem) && DIMINUTIVES.has(heard.slice(stem.length))) ||
    (heard.startsWith(name) && isEnding(heard.slice(name.length)))
  );
}

const isEnding = (rest: string): boolean => DIMINUTIVES.has(rest) || PARTICLES.has(rest);
