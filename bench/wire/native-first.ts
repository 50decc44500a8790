// Imported before Baileys, which takes libsignal's functions by name when it loads: the simulated network then creates
// its messages in a tenth of the time. The measured code runs in another process.
import { useNativeCrypto } from '@relay/daemon/whatsapp/signal/libsignal-patches';

useNativeCrypto();
