// Preload (`node --import`) that connects a daemon to the simulated network: Baileys trusts it and connects to
// RELAY_SIMULATOR_URL. Invariant: without an address it stops the process, so that no test ever reaches WhatsApp
// itself.
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import { simulatorUrl } from '../config.ts';
import './trust-preload.ts';

const url = simulatorUrl();
if (url === null) throw new Error('RELAY_SIMULATOR_URL names no simulated network.');
DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = url;
