export interface TextRequest {
  prompt: string;
  model?: string | undefined;
  maxTokens: number;
  temperature: number;
}

export interface TextAnswer {
  content: string;
  model: string;
  finishReason: 'stop' | 'length';
  usage: { promptTokens: number; completionTokens: number; totalTokens: number; estimated?: true };
}

export interface TextService {
  /**
   * Takes a place in the model's queue and gives back how to leave it. Errors: `invalid_request` for an unknown model
   * or a prompt beyond its context, `model_not_installed`, `rate_limited` where the queue is full, `engine_failed`.
   */
  admit(request: TextRequest): Promise<() => void>;
  /** Errors: `engine_failed`, `engine_unavailable`, and the signal's reason. */
  generate(request: TextRequest, onText: (text: string) => void, signal: AbortSignal): Promise<TextAnswer>;
}

declare module '../../operation.ts' {
  interface Services {
    text: TextService;
  }
}
