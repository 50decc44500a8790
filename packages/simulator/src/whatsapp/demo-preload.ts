// Preloaded (`node --import`) into a daemon that shall live in the simulated network: Baileys in that
// process trusts it and connects to the one that RELAY_SIMULATOR_URL names.
// Invariant: without an address it stops the process, so that no test ever reaches WhatsApp itself.
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import { simulatorUrl } from '../config.ts';
import './trust-preload.ts';

const url = simulatorUrl();
if (url === null) throw new Error('RELAY_SIMULATOR_URL names no simulated network.');
DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = url;
