// Preload (`node --import`, or imported by a test) that makes Baileys in this process trust the simulator. Invariant:
// this is the only way to that trust; production code has no switch for it.
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { WA_CERT_DETAILS } from '@whiskeysockets/baileys';
import { mediaCertificate, NOISE_ROOT } from './wire/trust.ts';

WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(NOISE_ROOT.public);
setDefaultCACertificates([...getCACertificates('default'), mediaCertificate().cert]);
