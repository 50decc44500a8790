// Imported before Baileys, which takes libsignal's functions by name when it loads: the simulated network
// then makes its messages in a tenth of the time. What is measured runs elsewhere.
import { useNativeCrypto } from '@relay/daemon/whatsapp/signal/libsignal-patches';

useNativeCrypto();
