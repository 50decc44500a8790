// Models: those of the agents, of the assistant and of memory. Part of the one table of errors in `../errors.ts`.
import type { ErrorSpec } from './spec.ts';

export const MODELS = {
  // The model of the agents
  agent_unavailable: {
    status: 503,
    exit: 8,
    sentence:
      'Your agents have no model yet: {what}. Run `relay init` to set it up, then resume the conversation.',
  },
  model_key_sealed: {
    status: 500,
    exit: 8,
    sentence:
      'The key of your model was sealed for another home. Run `relay init --api-key` to give it anew.',
  },
  brave_key_sealed: {
    status: 500,
    exit: 8,
    sentence:
      'The key of the web search was sealed for another home. Run `relay init --brave-key` to give it anew.',
  },
  embeddings_incomplete: {
    status: 400,
    exit: 2,
    sentence:
      'Memory by meaning is not set up: {what}. `relay memory embeddings --help` shows what is needed.',
  },
  embeddings_key_sealed: {
    status: 500,
    exit: 8,
    sentence:
      'The key of the embeddings endpoint was sealed for another home. Run `relay memory embeddings endpoint --key` to give it anew.',
  },
  embeddings_missing: {
    status: 409,
    exit: 5,
    sentence:
      'The local model is not installed. Install it with `npm install --global {packages}`, then try again.',
  },
  embeddings_refused: {
    status: 502,
    exit: 8,
    sentence:
      'The embeddings endpoint refused: {where} answered {status}. Check address, model and key with `relay memory embeddings`.',
  },
  embeddings_away: {
    status: 503,
    exit: 8,
    sentence:
      'Texts got no vectors: {what}. Until that works, memory finds them by their words; Relay keeps trying.',
    passes: true,
  },
  model_refused: {
    status: 502,
    exit: 8,
    sentence:
      'The model refused: {provider} answered {status}. Check key, model name and address with `relay init`, then resume.',
  },
  model_busy: {
    status: 503,
    exit: 8,
    passes: true,
    sentence:
      'The model has too much to do: {provider} asked to be left alone for a while. Resume the conversation later.',
  },
  model_unreachable: {
    status: 503,
    exit: 8,
    passes: true,
    sentence:
      'The model cannot be reached: {provider} failed ({what}). Resume the conversation when it answers again; `relay init` changes its address.',
  },
  model_garbled: {
    status: 502,
    exit: 8,
    passes: true,
    sentence:
      'The model answered something that cannot be read; {provider} may be broken. Resume the conversation to try again, or choose another model with `relay init`.',
  },
  model_slow: {
    status: 504,
    exit: 8,
    passes: true,
    sentence:
      'The agent needed more than {seconds} s for its turn and was stopped. Resume the conversation to let it try again, or raise "agent.turn_timeout_ms" in relay.config.json.',
  },
  model_endless: {
    status: 502,
    exit: 8,
    sentence:
      'The model did not come to an end within its steps. Raise "agent.max_steps" in relay.config.json, or try another model.',
  },

  eval_running: {
    status: 409,
    exit: 5,
    sentence:
      'An evaluation runs already. Wait until it is over, or stop it with Ctrl-C where it was started.',
  },
  answer_broke_off: {
    status: 503,
    exit: 3,
    sentence:
      'The answer broke off: the daemon is gone or stopping. `relay status` says how it is; what was said by then is kept.',
  },
} as const satisfies Record<string, ErrorSpec>;
