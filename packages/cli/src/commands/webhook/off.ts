// `relay webhook off <name>`.
import { switching } from '../../webhooks/switch.ts';

export const run = switching(false);
