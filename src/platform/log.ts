// What the program tells about itself while it runs: a short sentence and the facts that belong to it.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface Log {
  debug(facts: object, sentence: string): void
  info(facts: object, sentence: string): void
  warn(facts: object, sentence: string): void
  error(facts: object, sentence: string): void
  /** A log whose every line also has these facts, such as the part of the program it comes from. */
  child(facts: object): Log
}

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
}
