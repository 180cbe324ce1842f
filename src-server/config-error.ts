/** A flag or variable that makes no sense, as one sentence for the person who typed it. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}
