// `relay webhook on <name>`.
import { switching } from '../../webhooks/switch.ts';

export const run = switching(true);
